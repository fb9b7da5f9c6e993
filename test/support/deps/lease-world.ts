import { sql } from "drizzle-orm"
import { CreditLeases } from "../../../src/adapters/accounts/credit-leases.ts"
import { recallLeases } from "../../../src/adapters/accounts/key-limiters.ts"
import { type Charge, createChargeStore, createLeaseStore } from "../../../src/adapters/store/accounts/charges.ts"
import type { LedgerLease } from "../../../src/adapters/store/accounts/ledger-sql.ts"
import type { Database } from "../../../src/adapters/store/database.ts"
import type { Lease } from "../../../src/domain/accounts/lease-book.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/domain/time.ts"

/** An open call is abandoned after this time. */
const ABANDONED_MS = 5 * MINUTE_MS
const TURN = { queue: "x", since: 0, deadlineAt: 0 }

/** What happens at a write of a limiter: it crashes before or after it, or the write fails, or its answer is lost. */
export const FAULTS = ["crash before", "crash after", "fails", "answer lost", "arrives later"] as const
export type Fault = (typeof FAULTS)[number]

/** The process of a limiter ended: its callers get no answer. */
class Crash extends Error {}

type Outcome = "granted" | "refused" | "no answer"

/** One limiter with its disk, as the platform runs it: answers and calls wait for the disk. */
class Limiter {
  readonly gate: string
  readonly keyId: string
  readonly #world: LeaseWorld
  #disk: readonly Lease[] = []
  #alarmAt: number | null = null
  #running: { leases: CreditLeases; isDead: boolean }
  /** The fault of a later write: the number of writes before it. */
  #fault: { kind: Fault; at: "disk" | "ledger"; after: number } | null = null

  constructor(world: LeaseWorld, name: string) {
    this.gate = `gate_${name}`
    this.keyId = `kid_${world.subject}_${name}`
    this.#world = world
    this.#running = this.#start()
  }

  get alarmAt(): number | null {
    return this.#alarmAt
  }

  arm(kind: Fault, at: "disk" | "ledger", after: number): void {
    this.#fault = { kind, at, after }
  }

  disarm(): void {
    this.#fault = null
  }

  restart(): void {
    this.#running.isDead = true
    this.#running = this.#start()
  }

  /** Runs a call of the limiter, with a new instance after a crash. @returns null without an answer */
  async call<T>(work: (leases: CreditLeases) => T | Promise<T>): Promise<T | null> {
    const running = this.#running
    try {
      const answer = await work(running.leases)
      if (!running.isDead) return answer
    } catch {
      // The caller learns nothing.
    }
    this.#world.isUncertain = true
    return null
  }

  async wake(): Promise<void> {
    this.#alarmAt = null
    const woken = await this.call(async (leases) => {
      await leases.wake()
      return true
    })
    // The platform repeats an alarm that was not completed.
    if (!woken) this.#alarmAt = this.#world.now + 1_000
  }

  #start() {
    const running = { isDead: false, leases: null as unknown as CreditLeases }
    const crash = (): never => {
      if (!running.isDead) {
        running.isDead = true
        this.#running = this.#start()
      }
      throw new Crash()
    }
    const ledgerWrite = async <T>(write: () => Promise<T>): Promise<T> => {
      if (running.isDead) throw new Crash()
      const fault = this.#nextFault("ledger")
      if (fault === "crash before") crash()
      if (fault === "fails") throw new Error("the ledger does not answer")
      if (fault === "arrives later") {
        this.#world.late.push(write)
        throw new Error("the ledger does not answer")
      }
      const answer = await write()
      if (fault === "crash after" || running.isDead) crash()
      if (fault === "answer lost") throw new Error("the ledger does not answer")
      return answer
    }
    const { charges, leases } = this.#world
    const settle: typeof leases.settle = (settlements) => ledgerWrite(() => leases.settle(settlements))
    running.leases = new CreditLeases(
      {
        gate: this.gate,
        now: () => this.#world.now,
        newId: () => `lease_${this.#world.subject}_${this.#world.counter++}`,
        save: (all) => {
          if (running.isDead) throw new Crash()
          const fault = this.#nextFault("disk")
          if (fault === "crash before") crash()
          this.#disk = structuredClone(all)
          if (fault) crash()
        },
        // A crash before it is the fault "crash before" of the disk.
        later: (_, work) => work(),
        wakeAt: (at) => {
          this.#alarmAt = Math.min(at, this.#alarmAt ?? at)
        },
        ledger: () => ({
          reserve: (...given) => ledgerWrite(() => charges.reserve(...given)),
          open: (...given) => ledgerWrite(() => leases.open(...given)),
          settle,
        }),
        recall: (open) => this.#world.recall(open),
      },
      this.#disk,
    )
    return running
  }

  #nextFault(at: "disk" | "ledger"): Fault | null {
    const fault = this.#fault
    if (fault?.at !== at || fault.after-- > 0) return null
    this.#fault = null
    this.#world.isUncertain = true
    return fault.kind
  }
}

interface OpenCall {
  readonly credits: number
  readonly period: string
  readonly settle: (credits: number) => Promise<boolean>
  readonly at: number
}

/** Billed credits of a month: between those of settlements that were confirmed, and of all that were sent. */
interface Billed {
  least: number
  most: number
}

/** Two limiters of one account, its ledger, and what their callers know. */
export class LeaseWorld {
  /** Shortly before the month ends. */
  now = Date.UTC(2026, 11) - 5_000
  period = "2026-11"
  limit: number
  counter = 0
  /** A call got no answer: credits may be blocked until the limiters have settled. */
  isUncertain = false
  readonly subject: string
  readonly charges: ReturnType<typeof createChargeStore>
  readonly leases: ReturnType<typeof createLeaseStore>
  readonly limiters: readonly [Limiter, Limiter]
  readonly late: (() => Promise<unknown>)[] = []
  calls: OpenCall[] = []
  readonly #database: Database
  readonly #billed = new Map<string, Billed>()

  constructor(database: Database, subject: string, limit: number) {
    this.#database = database
    this.charges = createChargeStore(database)
    this.leases = createLeaseStore(database)
    this.subject = subject
    this.limit = limit
    this.limiters = [new Limiter(this, "a"), new Limiter(this, "b")]
  }

  billed(period = this.period): Billed {
    const billed = this.#billed.get(period) ?? { least: 0, most: 0 }
    this.#billed.set(period, billed)
    return billed
  }

  /** Credits of answered calls that are open, and billed ones. */
  spent(): number {
    const open = this.calls.filter(({ period }) => period === this.period)
    return open.reduce((sum, { credits }) => sum + credits, this.billed().least)
  }

  recall(open: readonly LedgerLease[]): Promise<boolean> {
    const limiterOf = (gate: string) => {
      const limiter = this.limiters.find((one) => one.gate === gate)
      if (!limiter) return null
      return {
        async recall(ids: readonly string[]) {
          const answer = await limiter.call((leases) => leases.recall(ids))
          if (answer === null) throw new Error("the limiter does not answer")
          return answer
        },
      }
    }
    return recallLeases(open, { limiterOf, settle: this.leases.settle })
  }

  /** A call at a limiter. A named charge is a row of its own in the ledger. */
  async spend(which: number, credits: number, { isNamed = false } = {}): Promise<Outcome> {
    const limiter = this.limiters[which]!
    const { subject, limit, period, now } = this
    const chargeId = `charge_${subject}_${this.counter++}`
    const charge: Charge = {
      ...{ chargeId, subject, limit, keyId: limiter.keyId, period, credits, kind: "call" },
      ...(isNamed ? {} : { isLeasable: true }),
    }
    const reserved = await limiter.call((leases) => leases.reserve(charge, now, TURN))
    if (!reserved) return "no answer"
    if (!reserved.granted) return "refused"
    const settle = async (paid: number) => {
      if (!reserved.isLeased) return this.charges.settle(chargeId, paid).then(() => true)
      const answer = await limiter.call((leases) => {
        leases.settle(chargeId, paid)
        return true
      })
      return answer === true
    }
    this.calls.push({ credits, period, settle, at: now })
    return "granted"
  }

  /** Ends a call, as a request does: a failed settlement is not repeated. */
  async settle(index: number, share: number): Promise<void> {
    const [call] = this.calls.splice(index % this.calls.length, 1)
    if (!call) return
    const credits = Math.round(call.credits * share)
    const billed = this.billed(call.period)
    billed.most += credits
    if (await call.settle(credits)) billed.least += credits
  }

  /** Lets time pass, with the alarms of the limiters. Calls end or are abandoned within five minutes. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (;;) {
      const next = this.limiters.toSorted((a, b) => (a.alarmAt ?? Infinity) - (b.alarmAt ?? Infinity))[0]!
      if (next.alarmAt === null || next.alarmAt > until) break
      this.now = Math.max(this.now, next.alarmAt)
      await next.wake()
    }
    this.now = until
    this.calls = this.calls.filter(({ at }) => this.now - at < ABANDONED_MS)
    const call = this.now - ABANDONED_MS + 1
    await this.charges.refundAbandoned({ call, job: 0, lease: this.now - DAY_MS })
  }

  /** The month ends, with the calls and leases that are open. */
  async nextMonth(): Promise<void> {
    const at = new Date(this.now)
    this.now = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
    this.period = new Date(this.now).toISOString().slice(0, 7)
    await this.pass(0)
  }

  /** Delayed writes arrive. */
  async arriveLate(): Promise<void> {
    for (const write of this.late.splice(0)) await write()
  }

  /** Ends everything that is uncertain, as the passing of time does, and settles the open calls. */
  async reconcile(): Promise<void> {
    for (const limiter of this.limiters) limiter.disarm()
    while (this.calls.length > 0) await this.settle(0, 1)
    for (const limiter of this.limiters) limiter.restart()
    await this.pass(400_000)
    await this.arriveLate()
    await this.pass(400_000)
    await this.recall(await this.leases.openOf([this.subject]))
    this.isUncertain = false
  }

  async ledger(period = this.period) {
    const subjects = [this.subject, ...this.limiters.map(({ keyId }) => keyId)]
    const used = await Promise.all(subjects.map((subject) => this.charges.usedBy(subject, period)))
    const [rows] = await this.#database.all<{ open: number; settled: number }>(sql`SELECT
      count(*) FILTER (WHERE state <> 'settled') AS open, coalesce(sum(settled), 0) AS settled
      FROM ledger WHERE subject = ${this.subject} AND period = ${period}`)
    return { used: used[0]!, usedByKeys: used[1]! + used[2]!, ...rows! }
  }

  get periods(): string[] {
    return [...this.#billed.keys()]
  }
}
