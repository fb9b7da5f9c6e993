import { withDeadline } from "../../../concurrency/with-deadline.ts"
import type { AuditEntry, AuditRow } from "../../../domain/compliance/audit-chain.ts"
import type { Clock } from "../../platform.ts"

/** An entry without a position yet, and its request. */
interface Pending {
  readonly entry: AuditEntry
  /** Set by the request that writes the entry. */
  outcome: AuditRow | Error | null
  /** Lets the entry's request continue. */
  wake: () => void
}

/** The entries of all requests of an isolate that wait for a position. Plain values, which may cross requests. */
export interface AuditQueue {
  readonly waiting: Pending[]
  /** Until when a request is writing, Unix ms. The platform may end that request at any moment. */
  writerUntil: number
}

export function newAuditQueue(): AuditQueue {
  return { waiting: [], writerUntil: Number.NEGATIVE_INFINITY }
}

/** Appends entries to the end of the chain, in one statement. */
export type WriteGroup = (entries: readonly AuditEntry[]) => Promise<readonly AuditRow[]>

/** Entries in one statement. Each is hashed after the one before it. */
const GROUP = 200
/** A group that takes longer has lost its request. */
const WRITE_MS = 15_000
/** How often a waiting request checks that another one is writing, in ms. */
const CHECK_MS = 1_000
const GIVE_UP_MS = 20_000

/**
 * Appends an entry together with those of other requests: a chain grows at one end, so each call with its own statement
 * would conflict with all others. One request writes for all that wait, and then the next one does.
 * @returns the row, after it is stored @throws the writer's error, or Error when no write ended in time
 */
export async function appendInGroup(
  { queue, clock }: { queue: AuditQueue; clock: Clock },
  entry: AuditEntry,
  write: WriteGroup,
): Promise<AuditRow> {
  const pending: Pending = { entry, outcome: null, wake: () => undefined }
  const giveUpAt = clock.now() + GIVE_UP_MS
  queue.waiting.push(pending)
  for (;;) {
    const { outcome } = pending
    if (outcome instanceof Error) throw outcome
    if (outcome) return outcome
    const now = clock.now()
    const isWaiting = queue.waiting.includes(pending)
    if (now >= giveUpAt) {
      if (isWaiting) queue.waiting.splice(queue.waiting.indexOf(pending), 1)
      throw new Error("the audit trail is too busy")
    }
    if (isWaiting && queue.writerUntil <= now) await writeWaiting({ queue, clock }, pending, write)
    else {
      const { promise: woken, resolve } = Promise.withResolvers<true>()
      pending.wake = () => resolve(true)
      // With a timer of its own: a request that only waits for another one would count as hung.
      await withDeadline(clock, woken, now + CHECK_MS)
    }
  }
}

/** Writes the entry of this request and others that wait, and lets their requests and the next writer continue. */
async function writeWaiting(
  { queue, clock }: { queue: AuditQueue; clock: Clock },
  own: Pending,
  write: WriteGroup,
): Promise<void> {
  const until = clock.now() + WRITE_MS
  queue.writerUntil = until
  queue.waiting.splice(queue.waiting.indexOf(own), 1)
  const group = [own, ...queue.waiting.splice(0, GROUP - 1)]
  try {
    const rows = await write(group.map(({ entry }) => entry))
    for (const [at, pending] of group.entries()) pending.outcome = rows[at]!
  } catch (error) {
    for (const pending of group) pending.outcome = error as Error
  }
  if (queue.writerUntil === until) queue.writerUntil = Number.NEGATIVE_INFINITY
  for (const { wake } of group) wake()
  queue.waiting[0]?.wake()
}
