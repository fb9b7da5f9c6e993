/** The place of one request in the queue for the database. A plain value, which may cross isolates. */
export interface Turn {
  /** Callers share the database equally: an account, a network, or `jobs` for work outside requests. */
  queue: string
  /** When the request began, Unix ms. Older requests of a caller are first. */
  readonly since: number
  /** The deadline of the request's answer, Unix ms. 0 without one, or when the answer does not wait for the work. */
  deadlineAt: number
}

/** The turn of queue batches and crons, which together count as one caller. */
export const JOBS_QUEUE = "jobs"
/** The turn of requests without a known caller. */
export const UNKNOWN_QUEUE = ""

/** How long a call waits for its turn without a deadline, and after it, in ms. */
const WAIT_MS = 10_000

/** Until when a call waits for its turn, Unix ms. */
export function waitsUntil(deadlineAt: number, now: number): number {
  return deadlineAt > now ? deadlineAt : now + WAIT_MS
}
