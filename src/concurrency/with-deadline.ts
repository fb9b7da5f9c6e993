interface Timer {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Returns the result of the work, or null when it is not done by `deadlineAt`, Unix ms. Leaves no timer behind. */
export async function withDeadline<T>(timer: Timer, work: Promise<T>, deadlineAt: number): Promise<T | null> {
  const isOver = new AbortController()
  const deadline = timer.sleep(Math.max(0, deadlineAt - timer.now()), isOver.signal).then(() => null)
  try {
    return await Promise.race([work, deadline])
  } finally {
    isOver.abort()
  }
}
