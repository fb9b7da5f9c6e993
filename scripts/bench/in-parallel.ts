/** Makes calls with a number of callers, each one call at a time. `n` counts the calls from 0. */
export async function inParallel(callers: number, calls: number, call: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < calls) await call(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
