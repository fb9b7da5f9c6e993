import type { PassedItem } from "../../adapters/store/lists/finish-items.ts"
import { whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { publishStored, resultsOf } from "../verification/settle.ts"
import type { Settled } from "../verification/verify-many.ts"

/** A pass that ends sooner is one write. Only slow mail servers cause more. */
const WRITE_EVERY_MS = 2_000

interface Finished {
  readonly item: PassedItem
  readonly settled: Settled
}

/**
 * Writes the finished items of a running pass every two seconds, so that a mail server that does not answer delays no
 * other address. Items whose write failed are left to the write at the end of the pass.
 */
export class FinishedWriter {
  readonly #ctx: Context
  readonly #jobId: string
  readonly #items = new Set<number>()
  readonly #verifications = new Set<Verification>()
  #waiting: Finished[] = []
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
