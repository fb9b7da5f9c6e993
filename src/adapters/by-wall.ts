import type { Clock } from "./platform.ts"

/** What the work comes to by `wallAt`, Unix ms; null when the wall comes first. Leaves no timer behind. */
export async function byWall<T>(clock: Clock, work: Promise<T>, wallAt: number): Promise<T | null> {
  const isOver = new AbortController()
  const wall = clock.sleep(Math.max(0, wallAt - clock.now()), isOver.signal).then(() => null)
  try {
    return await Promise.race([work, wall])
  } finally {
    isOver.abort()
  }
}
