/** An entry with a deadline. */
export interface Deadlined {
  /** On the clock of `performance.now()`, in ms. */
  readonly dueAt: number
  overdue(now: number): void
}

const TICK_MS = 50
const waiting = new Set<Deadlined>()
let ticking: NodeJS.Timeout | null = null

/** Watches deadlines with one coarse timer, because a timer per command is costly with thousands of connections. */
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
