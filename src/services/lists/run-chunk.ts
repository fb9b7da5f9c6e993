import type { ChunkMessage } from "../../../schema/wire/queue.ts"
import type { PassedItem } from "../../adapters/store/lists/finish-items.ts"
import type { ClaimedChunk } from "../../adapters/store/lists/job-chunks.ts"
import { DATABASE_WAIT_MS, whenAvailable, whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { runLeaseWithin } from "../../domain/lease.ts"
import { noEvidence } from "../../domain/verification/evidence.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { isStorageFailure } from "../../errors.ts"
import { publishStored, resultsOf } from "../verification/settle.ts"
import type { Settled } from "../verification/verify-many.ts"
import { finishJob, notifyPartial } from "./end-job.ts"
import { type OnFinished, type Passed, type Repeatedly, runPass } from "./run-pass.ts"

/** A chunk that is still open after this many counted leases is abandoned. */
const MAX_LEASES = 24
const FAILURE_PAUSE_MS = 5_000

/**
 * Runs the chunks of a queue batch in parallel and renews their leases together. One statement every few seconds replaces
 * a long lease: chunks of a crashed Worker are free again soon.
 */
export async function runChunks(ctx: Context, messages: readonly ChunkMessage[]): Promise<void> {
  const running = new Set(messages)
  const { ms, renewEveryMs } = runLeaseWithin(ctx.config.bulk.leaseMs)
  const renew = () => ctx.store.jobChunks.renew([...running], ctx.clock.now() + ms)
  await whileRepeating(ctx.clock, { everyMs: renewEveryMs, repeat: renew }, () =>
    Promise.all(messages.map((message) => runChunk(ctx, message).finally(() => running.delete(message)))),
  )
}

/**
 * Verifies the open items of one chunk. Deferred items wait for the next pass. A transaction writes results with their
 * charge: at the end of the pass, and every two seconds during a longer one. A late or repeated message finds no work.
 * While the database does not answer, the chunk waits with its results in memory, so that nothing is probed twice. Never
 * throws.
 */
export async function runChunk(ctx: Context, message: ChunkMessage): Promise<void> {
  const { clock, log } = ctx
  const { jobChunks } = ctx.store
  const lease = runLeaseWithin(ctx.config.bulk.leaseMs)
  const repeatedly: Repeatedly = (work) => whenAvailable(clock, clock.now() + DATABASE_WAIT_MS, work)
  try {
    const chunk = await repeatedly(() => jobChunks.claim(message, clock.now() + lease.ms))
    if (!chunk) return
    const { leases } = chunk
    const written = new FinishedWriter(ctx, message.jobId)
    const onFinished: OnFinished = (item, settled) => written.add(item, settled)
    const { found, items, ...passed } =
      leases >= MAX_LEASES
        ? abandon(ctx, chunk)
        : await written.during(() => runPass(ctx, chunk, { leases, repeatedly, onFinished }))
    const left = items.filter(({ idx }) => !written.hasItem(idx))
    const fresh = (found?.fresh ?? []).filter((one) => !written.hasVerification(one))
    const results = resultsOf(fresh)
    const eventId = `evt_${ctx.randomToken()}`
    const { isEnd, isStored, isFirstPassOver } = await repeatedly(() =>
      jobChunks.write({ message, ...passed, items: left, results, now: clock.now(), eventId }),
    )
    if (found && isStored) await publishStored(ctx, fresh, found.storedFor)
    if (isFirstPassOver) await repeatedly(() => notifyPartial(ctx, message.jobId))
    if (isEnd) await repeatedly(() => finishJob(ctx, message.jobId))
  } catch (error) {
    log("chunk_failed", { job: message.jobId, chunk: message.chunk, error: (error as Error).message })
    const pause = Math.min(ctx.config.bulk.leaseMs, FAILURE_PAUSE_MS)
    // A full disk never abandons a chunk.
    await jobChunks.releaseForRetry(message, clock.now() + pause, !isStorageFailure(error)).catch(() => undefined)
  }
}

/** Ends every open item with an inconclusive result and lists it among the failed items. */
function abandon({ clock }: Pick<Context, "clock">, { items }: ClaimedChunk): Passed {
  const verifiedAt = clock.now()
  return {
    nextAt: null,
    isCounted: true,
    found: null,
    items: items.map(({ idx, email, evidence, attempts }) => ({
      idx,
      attempts,
      verifiedAt,
      status: "unknown",
      score: 0,
      canSend: false,
      evidence: evidence ?? { ...noEvidence(parseAddress(email)), probeProblem: "no_node" as const },
      cached: false,
      error: "not_processed",
      isAbandoned: true,
      credits: 0,
    })),
  }
}

/** A pass that ends sooner is one write. Only slow mail servers cause more. */
const WRITE_EVERY_MS = 2_000

/**
 * Writes the finished items of a running pass every two seconds, so that a mail server that does not answer delays no
 * other address. Items whose write failed are left to the write at the end of the pass.
 */
class FinishedWriter {
  readonly #ctx: Context
  readonly #jobId: string
  readonly #items = new Set<number>()
  readonly #verifications = new Set<Verification>()
  #waiting: { item: PassedItem; settled: Settled }[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(ctx: Context, jobId: string) {
    this.#ctx = ctx
    this.#jobId = jobId
  }

  add(item: PassedItem, settled: Settled): void {
    this.#waiting.push({ item, settled })
  }

  /** Whether the item was written. */
  hasItem(idx: number): boolean {
    return this.#items.has(idx)
  }

  /** Whether the verification's item was written. */
  hasVerification(verification: Verification): boolean {
    return this.#verifications.has(verification)
  }

  /** Writes finished items while the work runs. No write is under way when it returns. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const repeat = () => {
      this.#writing = this.#write()
      return this.#writing
    }
    const result = await whileRepeating(this.#ctx.clock, { everyMs: WRITE_EVERY_MS, repeat }, work)
    await this.#writing.catch(() => undefined)
    return result
  }

  async #write(): Promise<void> {
    const finished = this.#waiting
    if (finished.length === 0) return
    this.#waiting = []
    const ctx = this.#ctx
    const fresh = finished.flatMap(({ settled: { isFresh, verification } }) => (isFresh ? [verification] : []))
    const items = finished.map(({ item }) => item)
    const isStored = await ctx.store.jobChunks.writeFinished(this.#jobId, { items, results: resultsOf(fresh) })
    for (const { item, settled } of finished) {
      this.#items.add(item.idx)
      this.#verifications.add(settled.verification)
    }
    if (!isStored) return
    for (const [storedFor, some] of Map.groupBy(finished, ({ settled }) => settled.storedFor))
      await publishStored(
        ctx,
        some.map(({ settled }) => settled.verification).filter((one) => fresh.includes(one)),
        storedFor,
      )
  }
}
