const RUNS = 3
/** Less cannot be told from what the machine does beside. */
const ENOUGH_MS = 8
const MOST_TIMES = 4_096

/**
 * How many times as much CPU a piece of work costs at four times its size: about 4 when it is linear, 16 when it is
 * quadratic, 1 when it gives up early. Both sizes in one run, turn about, the best of each: a busy machine changes nothing.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  return cpuRatio(
    () => work(4 * size),
    () => work(size),
  )
}

/** How many times as much CPU one piece of work costs as another; each is done as often as it takes to tell. */
export async function cpuRatio(one: () => unknown, other: () => unknown): Promise<number> {
  let times = 1
  while (times < MOST_TIMES && (await cpuMs(other, times)) < ENOUGH_MS) times *= 2
  let [ofOne, ofOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let run = 0; run < RUNS; run++) {
    ofOther = Math.min(ofOther, await cpuMs(other, times))
    ofOne = Math.min(ofOne, await cpuMs(one, times))
  }
  return ofOne / ofOther
}

/** CPU time of this process, in ms. */
export async function cpuMs(work: () => unknown, times = 1): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
