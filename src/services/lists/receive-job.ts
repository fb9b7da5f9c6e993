import type { JobOptions, NewItem, NewJob, Price } from "../../adapters/store/lists/job-intake.ts"
import { YieldBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { storedText } from "../../domain/address/address-forms.ts"
import { CHUNK_SIZE, dispatchOrderOf, FIRST_POSITION } from "../../domain/lists/job.ts"
import { AddressReader } from "../../domain/lists/list-addresses.ts"
import { pricesFor } from "../accounts/charge.ts"

/** Rows added by one statement, and chunks planned by one. */
const ROWS_AT_ONCE = 5_000
const CHUNKS_AT_ONCE = 100
const DUPLICATES_RANGE = 20_000

/** A job whose addresses are arriving. It is invisible before `start`, and `discard` removes it completely. */
export interface Receiving {
  readonly jobId: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly price: Price
  /** Written addresses that may cost credits: without duplicates, malformed addresses and those of test mode. */
  payable(): number
  add(emails: readonly string[]): Promise<void>
  /** Ends the intake: removes duplicates on request and plans the chunks. @returns addresses to verify */
  close(deduplicate: boolean): Promise<number>
  /** Releases the job for work. @returns false when the sweeper removed it meanwhile */
  start(options: JobOptions): Promise<boolean>
  discard(): Promise<void>
}

/** Opens a job whose addresses arrive in any number of pieces, in constant memory. */
export async function receiveJob(ctx: Context, owner: Omit<NewJob, "jobId" | "createdAt">): Promise<Receiving> {
  const { clock } = ctx
  const { jobIntake } = ctx.store
  const jobId = newJobId(ctx)
  const createdAt = clock.now()
  const price = pricesFor(ctx, owner.accountId)
  await jobIntake.open({ ...owner, jobId, createdAt })
  let waiting: string[] = []
  let submitted = 0
  let unique = 0
  let payable = 0
  let total = 0

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const emails = waiting
    waiting = []
    const added = await jobIntake.add(jobId, await toItems(emails, submitted), price)
    submitted += emails.length
    unique += added.unique
    payable += added.payable
  }

  return {
    jobId,
    createdAt,
    price,
    payable: () => payable,

    async add(emails) {
      for (const email of emails) {
        waiting.push(email)
        if (waiting.length >= ROWS_AT_ONCE) await write()
      }
    },

    async close(deduplicate) {
      await write()
      if (deduplicate && unique < submitted)
        for (let from = 0; from < submitted; from += DUPLICATES_RANGE)
          await jobIntake.removeDuplicates(jobId, { from, count: DUPLICATES_RANGE })
      total = deduplicate ? unique : submitted
      await planChunks(ctx, { jobId, createdAt })
      return total
    },

    start: (options) => jobIntake.start(jobId, { ...options, submitted, total }),
    discard: () => jobIntake.drop(jobId),
  }
}

/** Splits the items into chunks by domain, so that items of one mail host are adjacent. */
export async function planChunks(
  ctx: Context,
  { jobId, createdAt }: { jobId: string; createdAt: number },
): Promise<void> {
  let after = FIRST_POSITION
  for (let first = 0; ; first += CHUNKS_AT_ONCE) {
    const ends = await ctx.store.jobIntake.boundaries(jobId, { after, size: CHUNK_SIZE, count: CHUNKS_AT_ONCE })
    const chunks = ends.map((last, n) => {
      const chunk = first + n
      return { chunk, after: ends[n - 1] ?? after, last, dueAt: dispatchOrderOf(chunk, createdAt) }
    })
    if (chunks.length > 0) await ctx.store.jobIntake.addChunks(jobId, chunks)
    if (ends.length < CHUNKS_AT_ONCE) return
    after = ends.at(-1)!
  }
}

async function toItems(emails: readonly string[], firstIdx: number): Promise<NewItem[]> {
  const addresses = new AddressReader()
  const seen = new Set<string>()
  const items: NewItem[] = []
  const untilYield = new YieldBudget()
  for (const given of emails) {
    const { mailbox, domain } = addresses.read(given)
    const isDuplicate = seen.has(mailbox)
    seen.add(mailbox)
    items.push({ idx: firstIdx + items.length, email: storedText(given), domain, mailbox, isDuplicate })
    if (untilYield.isOver(given.length)) await yieldToEventLoop()
  }
  return items
}

/** "job_" and 96 random bits in hex. */
export function newJobId({ randomBytes }: Pick<Context, "randomBytes">): string {
  return `job_${hex(randomBytes(12))}`
}
