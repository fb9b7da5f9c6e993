const RUNS = 5
/** What costs less is not told from nothing, in ms. */
const NOTHING_MS = 0.5

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

/** How many times as much CPU one piece of work costs as another. */
export async function cpuRatio(one: () => unknown, other: () => unknown): Promise<number> {
  let [ofOne, ofOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let run = 0; run < RUNS; run++) {
    ofOther = Math.min(ofOther, await cpuMs(other))
    ofOne = Math.min(ofOne, await cpuMs(one))
  }
  return ofOne / Math.max(ofOther, NOTHING_MS)
}

/** CPU time of this process, in ms. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
