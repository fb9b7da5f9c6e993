import { type Lease, LeaseBook } from "../../domain/accounts/lease-book.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import {
  afterRecalls,
  type Charge,
  type ChargeStore,
  type LeaseStore,
  type Recall,
  type Reservation,
} from "../store/accounts/charges.ts"
import type { LedgerReservation } from "../store/accounts/ledger-sql.ts"
import type { QueueEntry } from "../store/database.ts"

export interface CreditLeasesDeps {
  /** The id of this limiter. */
  readonly gate: string
  readonly now: () => number
  readonly newId: () => string
  /** Stores the leases durably before any later answer or call of this limiter. An empty list deletes them. */
  readonly save: (leases: readonly Lease[]) => void
  /** Runs work in this instance after some ms. A crash may prevent it. */
  readonly later: (ms: number, work: () => void) => void
  /** Schedules a call of `wake` at that time, Unix ms, in any later instance too. */
  readonly wakeAt: (at: number) => void
  /** The ledger, for a request with this turn. */
  readonly ledger: (queueEntry: QueueEntry) => Pick<ChargeStore, "reserve"> & Pick<LeaseStore, "open" | "settle">
  /** Recalls leases of this and other limiters. */
  readonly recall: Recall
}

interface Waiting {
  readonly charge: Charge
  readonly queueEntry: QueueEntry
  readonly resolve: (reservation: Reservation) => void
  readonly reject: (error: unknown) => void
}

/** A retired lease waits this long for a write that settles it along the way. */
const SETTLE_MS = 10_000
/** Settled charges are stored together after this time. A crash before leaves them unbilled. */
const SAVE_MS = 100
/** Pause before a failed settlement is repeated. Longer, because all limiters repeat theirs after an outage. */
const RETRY_MS = MINUTE_MS

/** Spends credits from leases of the ledger. One for each limiter. The rules are in src/domain/accounts/lease-book.ts. */
export class CreditLeases {
  readonly #deps: CreditLeasesDeps
  readonly #book: LeaseBook
  /** Calls without credits, in the order of their arrival. */
  #waiting: Waiting[] = []
  #isServing = false
  /** The current write that opens a lease, until its credits are spent. */
  #opening: Promise<unknown> = Promise.resolve()
  #isUnsaved = false

  /** @param stored leases of an earlier instance */
  constructor(deps: CreditLeasesDeps, stored: readonly Lease[]) {
    this.#deps = deps
    this.#book = new LeaseBook(stored)
  }

  get isEmpty(): boolean {
    return this.#book.leases.length === 0 && this.#waiting.length === 0
  }

  /** Reserves all credits of a charge or none: from a lease if the charge may, else by a row of its own. */
  async reserve(charge: Charge, now: number, queueEntry: QueueEntry): Promise<Reservation> {
    if (!charge.isLeasable || charge.credits === 0) return this.#reserveRow(charge, now, queueEntry)
    const used = this.#book.spend(charge, now)
    if (used === null)
      return new Promise((resolve, reject) => {
        this.#waiting.push({ charge, queueEntry, resolve, reject })
        if (!this.#isServing) void this.#serve()
      })
    this.#save()
    return granted(used, this.#book.boughtLeft(charge.chargeId))
  }

  /** Settles a leased charge for at most its credits. Settling twice changes nothing. */
  settle(chargeId: string, credits: number): void {
    this.#book.settle(chargeId, credits, this.#deps.now())
    this.#schedule(SETTLE_MS)
    if (this.#isUnsaved) return
    this.#isUnsaved = true
    this.#deps.later(SAVE_MS, () => {
      if (this.#isUnsaved) this.#save()
    })
  }

  /** Returns the rest of these leases. An unknown one was lost in a crash. @returns whether credits came back */
  async recall(ids: readonly string[]): Promise<boolean> {
    await this.#opening
    const known = this.#book.leases.map(({ id }) => id)
    this.#book.retire(this.#book.returnable(ids))
    this.#save()
    const lost = ids.filter((id) => !known.includes(id)).map((id) => ({ id, keep: 0, paid: 0 }))
    const own = this.#book.settlements().filter(({ id }) => ids.includes(id))
    await this.#settle([...own, ...lost])
    return own.length + lost.length > 0
  }

  /** Retires all leases, because their limit or their key may have changed. */
  retire(): void {
    if (this.#book.leases.length === 0) return
    this.#book.retire()
    this.#save()
    void this.#settleRetired().catch(() => undefined)
  }

  /** Ends what is abandoned, idle or old, and returns the rest. */
  async wake(): Promise<void> {
    this.#book.tidy(this.#deps.now())
    this.#isUnsaved = false
    this.#deps.save(this.#book.leases)
    const isSettled = await this.#settleRetired().then(
      () => true,
      () => false,
    )
    this.#schedule(isSettled ? SETTLE_MS : RETRY_MS)
  }

  async #reserveRow(charge: Charge, now: number, queueEntry: QueueEntry): Promise<Reservation> {
    const { used, ...reserved } = await this.#deps.ledger(queueEntry).reserve(charge, now, this.#deps.recall)
    if (reserved.granted && reserved.creditsLeft === null) this.#book.countCharge(charge, charge.credits)
    return { ...reserved, used: Math.max(0, used - this.#book.unspent(charge)) }
  }

  /** Leases credits for the waiting calls, one lease at a time. Calls of the same price share a lease or a refusal. */
  async #serve(): Promise<void> {
    this.#isServing = true
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const { charge } = first
      const group = this.#waiting.filter((other) => hasSameTerms(charge, other.charge))
      const end = (how: (one: Waiting) => void) => {
        for (const one of group.filter((each) => this.#waiting.includes(each))) how(one)
        this.#waiting = this.#waiting.filter((each) => !group.includes(each))
      }
      try {
        const refusal = await this.#lease(first, group.length)
        if (refusal) end(({ resolve }) => resolve(refusal))
      } catch (error) {
        end(({ reject }) => reject(error))
      }
    }
    this.#isServing = false
  }

  /** Opens a lease and spends from it. @returns the refusal, null when the lease was granted */
  async #lease({ charge, queueEntry }: Waiting, calls: number): Promise<Reservation | null> {
    const id = this.#book.begin(charge, this.#deps.newId(), this.#deps.now())
    this.#save()
    const open = (source: "month" | "credits", used?: number) => {
      const opening = this.#open({ charge, queueEntry, calls, id }, source, used)
      this.#opening = opening.catch(() => undefined)
      return opening
    }
    const month = await afterRecalls(this.#deps.recall, () => open("month"))
    if (month.reserved !== null) return null
    const bought = await open("credits", month.used)
    if (bought.reserved !== null) return null
    this.#book.refuse(id)
    this.#save()
    return {
      granted: false,
      used: Math.max(0, month.used - this.#book.unspent(charge)),
      creditsLeft: bought.creditsLeft,
    }
  }

  /** @param monthUsed credits used in the month, when they were just read */
  async #open(
    { charge, queueEntry, calls, id }: Pick<Waiting, "charge" | "queueEntry"> & { calls: number; id: string },
    from: "month" | "credits",
    monthUsed?: number,
  ): Promise<LedgerReservation> {
    const { subject, limit, keyId, period, credits } = charge
    const now = this.#deps.now()
    const settlements = this.#book.settlements()
    const request = {
      id,
      gate: this.#deps.gate,
      subject,
      limit,
      keyId,
      period,
      settlements,
      least: credits,
      waiting: credits * calls,
      wanted: this.#book.wanted(credits, now),
    }
    const answer = await this.#deps.ledger(queueEntry).open(request, from, now)
    this.#book.settled(settlements)
    if (answer.reserved !== null) {
      const opened = {
        size: answer.reserved,
        source: answer.source,
        used: monthUsed ?? answer.used,
        boughtLeft: answer.creditsLeft,
      }
      this.#book.open(id, opened, this.#deps.now())
      this.#spendWaiting()
    }
    this.#save()
    return answer
  }

  #spendWaiting(): void {
    this.#waiting = this.#waiting.filter(({ charge, resolve }) => {
      const used = this.#book.spend(charge, this.#deps.now())
      if (used !== null) resolve(granted(used, this.#book.boughtLeft(charge.chargeId)))
      return used === null
    })
  }

  async #settleRetired(): Promise<void> {
    await this.#opening
    await this.#settle(this.#book.settlements())
  }

  async #settle(settlements: ReturnType<LeaseBook["settlements"]>): Promise<void> {
    if (settlements.length === 0) return
    const queueEntry = { queue: this.#deps.gate, since: this.#deps.now(), deadlineAt: 0 }
    await this.#deps.ledger(queueEntry).settle(settlements)
    this.#book.settled(settlements)
    this.#save()
  }

  #save(): void {
    this.#isUnsaved = false
    this.#deps.save(this.#book.leases)
    this.#schedule(SETTLE_MS)
  }

  #schedule(afterMs: number): void {
    const dueAt = this.#book.dueAt()
    if (dueAt !== null) this.#deps.wakeAt(Math.max(dueAt, this.#deps.now() + afterMs))
  }
}

function granted(used: number, creditsLeft: number | null): Reservation {
  return { granted: true, isLeased: true, used, creditsLeft }
}

/** True for charges that the same lease can pay at the same price. */
function hasSameTerms(one: Charge, other: Charge): boolean {
  const terms = ["subject", "keyId", "period", "limit", "credits"] as const
  return terms.every((term) => one[term] === other[term])
}
