import type { Deps } from "../../deps.ts"

/**
 * Does work under the caller's limits. The work says what it came to in credits; when it fails it costs nothing.
 * @param credits the most it may cost; 0 counts the request a minute only
 */
export async function counted<T>(
  { meter }: Pick<Deps, "meter">,
  credits: number,
  work: () => Promise<{ result: T; credits: number }>,
): Promise<T> {
  const charge = await meter.reserve(credits)
  let used = 0
  try {
    const done = await work()
    used = done.credits
    return done.result
  } finally {
    await charge.settle(used)
  }
}

/** The same for work that is free. */
export function free<T>(needs: Pick<Deps, "meter">, work: () => Promise<T>): Promise<T> {
  return counted(needs, 0, async () => ({ result: await work(), credits: 0 }))
}
