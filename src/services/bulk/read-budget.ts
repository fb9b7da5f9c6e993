import type { ReadMeter, ReadWork } from "../../adapters/lists/read-limits.ts"
import type { Context } from "../../context.ts"
import { type Caller, limitSubjectOf } from "../../domain/accounts/caller.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { freeUnits } from "../../domain/accounts/rate-limits.ts"
import { tooMany } from "../../errors.ts"
import { reserveFreeWork } from "../accounts/count-free-work.ts"

/** When a caller whose other files wait may try again. A file of 20 MB takes one to two seconds. */
const BUSY_SECONDS = 5
/** What a credit pays for, as for a list that is stored. */
const BYTES_OF_CREDIT = FREE_WORK.listCharacters.limit.perCredit
const ROWS_OF_CREDIT = FREE_WORK.listLines.limit.perCredit

type Work = "readBytes" | "readRows"

/**
 * Counts the bytes and rows of one file against the free work of its caller, piece by piece. What the caller's credits
 * can pay for counts at the end, when it is known how many addresses the list has.
 */
export class ReadBudget implements ReadMeter {
  readonly #ctx: Context
  readonly #subject: string
  readonly #renew: () => void
  #read = { bytes: 0, characters: 0, rows: 0 }
  readonly #counted = { readBytes: 0, readRows: 0 }
  /** Credits that may pay for the file, and those that do. */
  #credits = 0
  #paid = 0

  constructor(ctx: Context, subject: string, renew: () => void) {
    this.#ctx = ctx
    this.#subject = subject
    this.#renew = renew
  }

  /** Defers what so many credits can pay for. */
  defer(credits: number): void {
    this.#credits = credits
  }

  /** Names the credits that the list costs at most. */
  pay(credits: number): void {
    this.#paid = credits
  }

  /** @throws AppError rate_limited */
  async add({ bytes = 0, characters = 0, rows = 0 }: ReadWork): Promise<void> {
    this.#renew()
    const read = this.#read
    this.#read = { bytes: read.bytes + bytes, characters: read.characters + characters, rows: read.rows + rows }
    for (const work of ["readBytes", "readRows"] as const) {
      const more = this.#units(work) - this.#counted[work]
      if (more <= 0) continue
      const waitMs = await this.#reserve(work, more)
      if (waitMs !== null) throw tooMany(Math.ceil(waitMs / 1000), "too much was read for free in this minute")
      this.#counted[work] += more
    }
  }

  /** Counts what was deferred and is not paid for, up to the limit. */
  async settle(): Promise<void> {
    this.#credits = this.#paid
    for (const work of ["readBytes", "readRows"] as const) {
      let left = this.#units(work) - this.#counted[work]
      for (let part = left; part > 0; ) {
        const isCounted = (await this.#reserve(work, part)) === null
        if (isCounted) left -= part
        part = isCounted ? left : Math.floor(part / 2)
      }
    }
  }

  /** Units to count so far. A file counts at least one, so that a used-up budget refuses it at once. */
  #units(work: Work): number {
    const { bytes, characters, rows } = this.#read
    const free =
      work === "readBytes"
        ? Math.max(bytes, characters) - BYTES_OF_CREDIT * this.#credits
        : rows - ROWS_OF_CREDIT * this.#credits
    return Math.max(1, freeUnits(work, Math.max(0, free)))
  }

  #reserve(work: Work, units: number): Promise<number | null> {
    return reserveFreeWork(this.#ctx, work, this.#subject, units)
  }
}

/**
 * Reads a file when no other file of its caller is being read, and counts the work.
 * @throws AppError rate_limited when the caller's budget is used up, or too many files wait
 */
export async function inReadTurn<T>(
  ctx: Context,
  caller: Caller,
  read: (budget: ReadBudget) => Promise<T>,
): Promise<T> {
  const subject = limitSubjectOf(caller)
  const turn = await ctx.tables.turns.run(ctx.clock, subject, async (renew) => {
    const budget = new ReadBudget(ctx, subject, renew)
    try {
      await budget.add({})
      return await read(budget)
    } finally {
      await budget.settle()
    }
  })
  if (!turn) throw tooMany(BUSY_SECONDS, "other files of this account are being read; send one file at a time")
  return turn.value
}
