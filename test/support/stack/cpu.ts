const RUNS = 3
/** A ratio above DOUBTFUL is measured again, up to this many times: noise goes, a quadratic ratio stays. */
const MOST_RUNS = 10
const DOUBTFUL = 6
/** Shorter times are lost in the noise of the machine. */
const ENOUGH_MS = 8
const MOST_TIMES = 4_096

/**
 * CPU time of a piece of work at four times the size, relative to its base size: about 4 when it is linear, 16 when it
 * is quadratic, 1 when it stops early. Alternates both sizes and uses the best time of each, against noise.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  return cpuRatio(
    () => work(4 * size),
    () => work(size),
  )
}

/** CPU time of one piece of work relative to another. Repeats each until the time is long enough to measure. */
export async function cpuRatio(one: () => unknown, other: () => unknown): Promise<number> {
  let times = 1
  while (times < MOST_TIMES && (await cpuMs(other, times)) < ENOUGH_MS) times *= 2
  let [ofOne, ofOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let run = 0; run < RUNS || (run < MOST_RUNS && ofOne / ofOther > DOUBTFUL); run++) {
    ofOther = Math.min(ofOther, await cpuMs(other, times))
    ofOne = Math.min(ofOne, await cpuMs(one, times))
  }
  return ofOne / ofOther
}

/** CPU time of this process, in ms. That of a thread is counted in ticks on some machines, too coarse for a ratio. */
export async function cpuMs(work: () => unknown, times = 1): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * The largest share of the CPU time that work takes in one turn of the event loop: 1 when it never yields, 0.01 with a
 * hundred equal turns. The best of several runs, because garbage collection falls into one turn.
 */
export async function longestTurnShare(work: () => Promise<unknown>): Promise<number> {
  let best = 1
  for (let run = 0; run < RUNS; run++) best = Math.min(best, await longestTurnOnce(work))
  return best
}

async function longestTurnOnce(work: () => Promise<unknown>): Promise<number> {
  const startedAt = threadMs()
  let [turnStart, longest, isOver] = [startedAt, 0, false]
  const endTurn = () => {
    const now = threadMs()
    longest = Math.max(longest, now - turnStart)
    turnStart = now
    if (!isOver) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  await work()
  isOver = true
  endTurn()
  return longest / (threadMs() - startedAt)
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
