import type { JobOptions, NewItem, NewJob } from "../../adapters/store/job-intake.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { shownText } from "../../domain/address/shown-email.ts"
import { BEGINNING, CHUNK_SIZE, turnOf } from "../../domain/bulk/plan-chunks.ts"
import { mailboxOf } from "../../domain/bulk/unique.ts"
import { hex } from "../../domain/keys/digest.ts"

export type ReceiveNeeds = Pick<Deps, "clock" | "randomBytes" | "jobIntake">

/** Rows a statement adds, and chunks planned by one. */
const ROWS_AT_ONCE = 5_000
const CHUNKS_AT_ONCE = 100
const DUPLICATES_RANGE = 20_000

/** A job whose addresses are coming in. Nobody sees it before `start`, and nothing is left of it after `discard`. */
export interface Receiving {
  readonly jobId: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Addresses so far that may cost something, as far as they have been written: without duplicates and malformed ones. */
  payable(): number
  add(emails: readonly string[]): Promise<void>
  /** Ends the intake: duplicates go if they should, chunks are planned. @returns addresses to verify */
  close(deduplicate: boolean): Promise<number>
  /** Hands the job over to be worked on. @returns false when it was swept meanwhile */
  start(options: JobOptions): Promise<boolean>
  discard(): Promise<void>
}

/** Opens a job of addresses that arrive in any number of pieces; memory does not grow with their number. */
export async function receiveJob(needs: ReceiveNeeds, owner: Omit<NewJob, "jobId" | "createdAt">): Promise<Receiving> {
  const { jobIntake, clock } = needs
  const jobId = newJobId(needs)
  const createdAt = clock.now()
  await jobIntake.open({ ...owner, jobId, createdAt })
  let waiting: string[] = []
  let submitted = 0
  let unique = 0
  let payable = 0
  let total = 0

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const items = toItems(waiting, submitted)
    submitted += waiting.length
    waiting = []
    const added = await jobIntake.add(jobId, items)
    unique += added.unique
    payable += added.wellFormed
  }

  return {
    jobId,
    createdAt,
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
      await planChunks(needs, { jobId, createdAt })
      return total
    },

    start: (options) => jobIntake.start(jobId, { ...options, submitted, total }),
    discard: () => jobIntake.drop(jobId),
  }
}

/** Cuts the items into chunks by domain, so that those of one mail host stand together. */
export async function planChunks(
  { jobIntake }: Pick<Deps, "jobIntake">,
  { jobId, createdAt }: { jobId: string; createdAt: number },
): Promise<void> {
  let after = BEGINNING
  for (let first = 0; ; first += CHUNKS_AT_ONCE) {
    const ends = await jobIntake.boundaries(jobId, { after, size: CHUNK_SIZE, count: CHUNKS_AT_ONCE })
    const chunks = ends.map((last, n) => {
      const chunk = first + n
      return { chunk, after: ends[n - 1] ?? after, last, dueAt: turnOf(chunk, createdAt) }
    })
    if (chunks.length > 0) await jobIntake.addChunks(jobId, chunks)
    if (ends.length < CHUNKS_AT_ONCE) return
    after = ends.at(-1)!
  }
}

function toItems(emails: readonly string[], firstIdx: number): NewItem[] {
  const seen = new Set<string>()
  return emails.map((given, n) => {
    const address = parseAddress(given)
    const mailbox = mailboxOf(address)
    const isDuplicate = seen.has(mailbox)
    seen.add(mailbox)
    const domain = address.ok ? address.domain : ""
    return { idx: firstIdx + n, email: shownText(given), domain, mailbox, isDuplicate }
  })
}

/** "job_" and 96 random bits in hex. */
export function newJobId({ randomBytes }: Pick<Deps, "randomBytes">): string {
  return `job_${hex(randomBytes(12))}`
}
