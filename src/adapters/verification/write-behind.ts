import { withDeadline } from "../../concurrency/deadlines.ts"
import { whileRepeating } from "../../concurrency/repeat.ts"
import { isUnavailable } from "../../errors.ts"
import type { Platform } from "../platform.ts"

/** What became of an entry. `refused`: the database has something newer. `lost`: it was not stored in time. */
export type WriteOutcome = "stored" | "refused" | "lost"

/** Writes entries after the answers of their requests, those of all requests of an isolate together. */
export interface WriteBehind<T> {
  /** Adds an entry at once. The request goes on in the background until it is written. @returns never rejects */
  add(entry: T): Promise<WriteOutcome>
}

/** An entry and its request. */
interface Pending<T> {
  readonly entry: T
  /** About the size of the entry as it is sent. */
  readonly bytes: number
  /** A write with this entry has begun. It may have been applied, although its answer was lost. */
  isSent: boolean
  outcome: WriteOutcome | null
  /** Lets the entry's request continue. */
  wake: () => void
}

/** The entries of an isolate that are not written yet. Plain values, which may cross requests. */
export interface WriteBehindMemory<T> {
  waiting: Pending<T>[]
  /** Until when a request is the writer, Unix ms. The platform may end that request at any moment. */
  writerUntil: number
}

export function newWriteBehindMemory<T>(): WriteBehindMemory<T> {
  return { waiting: [], writerUntil: Number.NEGATIVE_INFINITY }
}

interface WriteBehindOptions<T> {
  readonly memory: WriteBehindMemory<T>
  readonly bytesOf: (entry: T) => number
  /** Writes all entries in one transaction. @returns for each entry whether the database refused it */
  readonly write: (entries: readonly WrittenEntry<T>[]) => Promise<readonly boolean[]>
}

export interface WrittenEntry<T> {
  readonly entry: T
  /** An earlier write with this entry may have been applied. */
  readonly isRepeated: boolean
}

/** The writer waits this long for entries of the same answer and of concurrent requests. */
const GATHER_MS = 10
/** Limits of one batch. */
const BATCH = { entries: 500, bytes: 1_000_000 } as const
/** Limit of all waiting entries of an isolate, which has 128 MB. */
const MAX_WAITING_BYTES = 16_000_000
/** A living writer renews its lease. Without renewal another request takes over. */
const LEASE = { ms: 3_000, renewEveryMs: 1_000 } as const
/** How often a waiting request checks that another one is writing, in ms. */
const CHECK_MS = 1_000
/** Pause after a failed write. */
const PAUSE_MS = 1_000
/** The platform ends the background work of a request 30 s after its answer. */
const GIVE_UP_MS = 25_000

/** The first entry's request becomes the writer. Entries that arrive during a write are the next batch. */
export function createWriteBehind<T>(
  { memory, bytesOf, write }: WriteBehindOptions<T>,
  { clock, log, background }: Pick<Platform, "clock" | "log" | "background">,
): WriteBehind<T> {
  async function untilWritten(own: Pending<T>): Promise<WriteOutcome> {
    const giveUpAt = clock.now() + GIVE_UP_MS
    while (own.outcome === null) {
      const now = clock.now()
      if (now >= giveUpAt) lose([own], new Error("the database did not answer in time"))
      else if (memory.writerUntil <= now) await writeWaiting(giveUpAt)
      else {
        const { promise: woken, resolve } = Promise.withResolvers<true>()
        own.wake = () => resolve(true)
        // With a timer of its own: a request that only waits for another one would count as hung.
        await withDeadline(clock, woken, Math.min(giveUpAt, now + CHECK_MS))
      }
    }
    return own.outcome
  }

  /** Writes one batch, as the only writer. */
  async function writeWaiting(giveUpAt: number): Promise<void> {
    let until = clock.now() + LEASE.ms
    memory.writerUntil = until
    const renew = async () => {
      if (memory.writerUntil !== until) return
      until = clock.now() + LEASE.ms
      memory.writerUntil = until
    }
    await whileRepeating(clock, { everyMs: LEASE.renewEveryMs, repeat: renew }, async () => {
      await clock.sleep(GATHER_MS)
      const isDone = await writeBatch(nextBatch(memory.waiting))
      if (!isDone) await clock.sleep(Math.min(PAUSE_MS, Math.max(0, giveUpAt - clock.now())))
    })
    if (memory.writerUntil === until) memory.writerUntil = Number.NEGATIVE_INFINITY
    memory.waiting[0]?.wake()
  }

  /** @returns false when the database does not answer: the entries stay */
  async function writeBatch(batch: readonly Pending<T>[]): Promise<boolean> {
    const entries = batch.map(({ entry, isSent }) => ({ entry, isRepeated: isSent }))
    for (const pending of batch) pending.isSent = true
    try {
      const refused = await write(entries)
      settle(batch, (at) => (refused[at] ? "refused" : "stored"))
      return true
    } catch (error) {
      if (isUnavailable(error)) return false
      if (batch.length <= 1) return lose(batch, error as Error)
      // An entry that the database cannot store takes no other entry with it.
      const half = batch.length >> 1
      return (await writeBatch(batch.slice(0, half))) && writeBatch(batch.slice(half))
    }
  }

  function lose(entries: readonly Pending<T>[], error: Error): true {
    settle(entries, () => "lost")
    log("answers_not_stored", { count: entries.length, error: error.message })
    return true
  }

  function settle(entries: readonly Pending<T>[], outcomeOf: (at: number) => WriteOutcome): void {
    const settled = new Set(entries)
    memory.waiting = memory.waiting.filter((pending) => !settled.has(pending))
    for (const [at, pending] of entries.entries()) {
      pending.outcome ??= outcomeOf(at)
      pending.wake()
    }
  }

  return {
    add(entry) {
      const own: Pending<T> = {
        entry,
        bytes: bytesOf(entry),
        isSent: false,
        outcome: null,
        wake: () => undefined,
      }
      memory.waiting.push(own)
      if (bytesIn(memory.waiting) > MAX_WAITING_BYTES) lose([own], new Error("too many answers wait for the database"))
      const written = untilWritten(own)
      background(written)
      return written
    },
  }
}

/** The oldest entries, at least one. */
function nextBatch<T>(waiting: readonly Pending<T>[]): Pending<T>[] {
  let bytes = 0
  const end = waiting.findIndex((pending, at) => {
    bytes += pending.bytes
    return at > 0 && (at >= BATCH.entries || bytes > BATCH.bytes)
  })
  return waiting.slice(0, end < 0 ? BATCH.entries : end)
}

function bytesIn(waiting: readonly { readonly bytes: number }[]): number {
  return waiting.reduce((sum, { bytes }) => sum + bytes, 0)
}
