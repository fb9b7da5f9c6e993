import { Stop, type StopSignal } from "./stop-signal.ts"

interface Timer {
  now(): number
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/** Returns the result of the work, or null when it is not done by `deadlineAt`, Unix ms. Leaves no timer behind. */
export async function withDeadline<T>(timer: Timer, work: Promise<T>, deadlineAt: number): Promise<T | null> {
  const isOver = new Stop()
  const deadline = timer.sleep(Math.max(0, deadlineAt - timer.now()), isOver).then(() => null)
  try {
    return await Promise.race([work, deadline])
  } finally {
    isOver.stop()
  }
}
