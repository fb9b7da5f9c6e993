/** Something that must not wait for ever. */
export interface Deadlined {
  /** On the clock of `performance.now()`, in ms. */
  readonly dueAt: number
  overdue(now: number): void
}

const TICK_MS = 50
const waiting = new Set<Deadlined>()
let ticking: NodeJS.Timeout | null = null

/** One coarse timer for every connection: thousands of them cost one pass per tick instead of a timer per command. */
export function watchDeadline(entry: Deadlined): void {
  waiting.add(entry)
  ticking ??= setInterval(tick, TICK_MS).unref()
}

export function unwatchDeadline(entry: Deadlined): void {
  waiting.delete(entry)
}

function tick(): void {
  const now = performance.now()
  for (const entry of waiting) if (entry.dueAt <= now) entry.overdue(now)
  if (waiting.size > 0 || !ticking) return
  clearInterval(ticking)
  ticking = null
}
