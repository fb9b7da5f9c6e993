import type { ChargeSource } from "../../../schema/vocabulary.ts"
import { MINUTE_MS } from "../time.ts"

/** A lease without a spend is returned after this time, in ms. */
const IDLE_MS = 10_000
/** A lease is used at most this long, in ms. The sweep may end a lease only after a day. */
const MAX_AGE_MS = 5 * MINUTE_MS
/** A spend that is not settled by then never will be, in ms: no call runs this long. */
const ABANDONED_MS = 5 * MINUTE_MS
/** A block is worth this many ms at the recent rate. */
const BLOCK_MS = 30_000
/** Credits of a block, beyond the first spend of a quiet limiter. */
const BLOCK = { least: 10, most: 1_000 } as const
/** Below this sum of recent credits a limiter is quiet: its last spend is more than a minute ago. */
const QUIET = Math.exp(-MINUTE_MS / BLOCK_MS)

/** What all spends of a lease have in common. */
export interface LeaseTerms {
  /** The subject that the credits count against, and its limit in the period; null is unlimited. */
  readonly subject: string
  readonly limit: number | null
  readonly keyId: string | null
  readonly period: string
}

export interface Spend extends LeaseTerms {
  readonly chargeId: string
  readonly credits: number
}

/** A block of credits that the ledger grants at once. */
export interface Lease extends LeaseTerms {
  readonly id: string
  /** `opening`: the ledger may have it. `retired`: nothing is spent from it any more, and the rest is returned. */
  state: "opening" | "open" | "retired"
  source: ChargeSource
  /** Credits that the ledger holds for it. */
  size: number
  /** Credits of settled spends. */
  paid: number
  /** Spends that are not settled yet, by charge. */
  spends: Record<string, { readonly credits: number; readonly at: number }>
  /** Credits used in the month without this lease. */
  usedBefore: number
  /** Bought credits that remained when it opened; null for a lease from the month. */
  boughtBefore: number | null
  /** Unix ms, both. */
  openedAt: number
  touchedAt: number
}

/** What the ledger stores about a lease that ends: idempotent, and any later settlement only lowers `keep`. */
export interface LeaseSettlement {
  readonly id: string
  /** Credits that stay reserved. The others are refunded. */
  readonly keep: number
  /** The final cost; null while spends are open. */
  readonly paid: number | null
}

/** The lease that was opened in the ledger. */
export interface OpenedLease {
  readonly size: number
  readonly source: ChargeSource
  /** Credits used in the month, with the whole lease. */
  readonly used: number
  /** Bought credits that remain without the lease; null for a lease from the month. */
  readonly boughtLeft: number | null
}

/**
 * The leases of one limiter. The limiter stores them durably after each change and before any answer or call.
 *
 * 1. Grants never exceed the limit: the ledger counts a whole lease as used, and spends stay within leases.
 * 2. A limit of N serves exactly N: the rest of a retired lease returns to the ledger, and before a refusal all leases
 *    with a rest are retired.
 * 3. Only settled spends are billed: a lease costs the sum of them.
 * 4. Uncertain credits are blocked, then free: an unanswered opening and an unsettled spend cost nothing, but stay
 *    reserved until the ledger has confirmed their end.
 *
 * A lease is retired in storage before its settlement is sent. So no later instance spends what was returned.
 */
export class LeaseBook {
  readonly #leases: Lease[]
  /** Credits spent recently, halved about every 20 s: at a steady rate as many as in `BLOCK_MS`. */
  #recent = 0
  #recentAt = 0

  /** @param stored leases of an earlier instance */
  constructor(stored: readonly Lease[] = []) {
    this.#leases = structuredClone(stored) as Lease[]
  }

  /** The leases as they are stored. Empty when nothing has to be stored. */
  get leases(): readonly Lease[] {
    return this.#leases
  }

  /** Spends from an open lease of the same terms. @returns the credits used in the month, or null without such credits */
  spend({ chargeId, credits, ...terms }: Spend, now: number): number | null {
    const lease = this.#leases.find(
      (each) =>
        each.state === "open" && areSame(each, terms) && now - each.openedAt < MAX_AGE_MS && restOf(each) >= credits,
    )
    if (!lease) return null
    lease.spends[chargeId] = { credits, at: now }
    lease.touchedAt = now
    this.#recent = this.#recentBy(now) + credits
    this.#recentAt = now
    this.#count(lease, credits)
    return lease.source === "month" ? lease.usedBefore + spentOf(lease) : lease.usedBefore
  }

  /** Bought credits that remain after a spend; null when the month paid it. */
  boughtLeft(chargeId: string): number | null {
    const lease = this.#leases.find(({ spends }) => chargeId in spends)
    return lease?.boughtBefore == null ? null : lease.boughtBefore + restOf(lease)
  }

  /** Settles a spend for at most its credits. A spend that has ended stays as it is. */
  settle(chargeId: string, credits: number, now: number): void {
    const lease = this.#leases.find(({ spends }) => chargeId in spends)
    if (!lease) return
    this.#end(lease, chargeId, credits)
    lease.touchedAt = now
  }

  /** Counts credits that were charged outside of leases. */
  countCharge({ subject, period }: LeaseTerms, credits: number): void {
    for (const lease of this.#leases)
      if (lease.subject === subject && lease.period === period) lease.usedBefore += credits
  }

  /** Leased credits of a month that are not spent, although the ledger counts them as used. */
  unspent({ subject, period }: LeaseTerms): number {
    return this.#leases
      .filter((lease) => lease.source === "month" && lease.subject === subject && lease.period === period)
      .reduce((sum, lease) => sum + restOf(lease), 0)
  }

  /** The size of the next block at the recent rate. @param credits requested now */
  wanted(credits: number, now: number): number {
    const recent = this.#recentBy(now)
    return recent < QUIET ? credits : Math.max(BLOCK.least, Math.min(BLOCK.most, Math.ceil(recent + credits)))
  }

  /** Retires the key's lease and begins one before the ledger grants it, or repeats an uncertain one */
  begin(terms: LeaseTerms, newId: string, now: number): string {
    for (const lease of this.#leases)
      if (lease.state === "open" && lease.subject === terms.subject && lease.keyId === terms.keyId)
        lease.state = "retired"
    const uncertain = this.#leases.find((lease) => lease.state === "opening" && areSame(lease, terms))
    if (uncertain) {
      uncertain.touchedAt = now
      return uncertain.id
    }
    const { subject, limit, keyId, period } = terms
    this.#leases.push({
      id: newId,
      subject,
      limit,
      keyId,
      period,
      state: "opening",
      source: "month",
      size: 0,
      paid: 0,
      spends: {},
      usedBefore: 0,
      boughtBefore: null,
      openedAt: now,
      touchedAt: now,
    })
    return newId
  }

  open(id: string, { size, source, used, boughtLeft }: OpenedLease, now: number): void {
    const lease = this.#leases.find((each) => each.id === id)
    if (lease?.state !== "opening") return
    Object.assign(lease, { state: "open", size, source, boughtBefore: boughtLeft, openedAt: now, touchedAt: now })
    lease.usedBefore = Math.max(0, used - this.unspent(lease))
  }

  refuse(id: string): void {
    this.#remove(({ id: each, state }) => each === id && state === "opening")
  }

  /** Those of these leases that have credits to return. */
  returnable(ids: readonly string[]): string[] {
    return this.#leases.filter((lease) => ids.includes(lease.id) && isReturnable(lease)).map(({ id }) => id)
  }

  /** Retires these leases, by default all. */
  retire(ids: readonly string[] = this.#leases.map(({ id }) => id)): void {
    for (const lease of this.#leases) if (ids.includes(lease.id)) lease.state = "retired"
  }

  /** Ends abandoned spends at no cost, and retires idle and old leases. */
  tidy(now: number): void {
    for (const lease of this.#leases) {
      for (const [chargeId, { at }] of Object.entries(lease.spends))
        if (now - at >= ABANDONED_MS) this.#end(lease, chargeId, 0)
      if (now >= retiresAt(lease)) lease.state = "retired"
    }
  }

  /** What the ledger does not know yet about retired leases. */
  settlements(): LeaseSettlement[] {
    return this.#leases.filter(isUnsettled).map((lease) => ({
      id: lease.id,
      keep: spentOf(lease),
      paid: Object.keys(lease.spends).length === 0 ? lease.paid : null,
    }))
  }

  settled(settlements: readonly LeaseSettlement[]): void {
    for (const { id, keep, paid } of settlements)
      if (paid !== null) this.#remove((lease) => lease.id === id)
      else for (const lease of this.#leases) if (lease.id === id) lease.size = Math.min(lease.size, keep)
  }

  /** When `tidy` or a settlement is due, Unix ms; null for an empty book. */
  dueAt(): number | null {
    const times = this.#leases.flatMap((lease) => [
      isUnsettled(lease) ? 0 : Number.POSITIVE_INFINITY,
      retiresAt(lease),
      ...Object.values(lease.spends).map(({ at }) => at + ABANDONED_MS),
    ])
    return times.length === 0 ? null : Math.min(...times)
  }

  #end(lease: Lease, chargeId: string, credits: number): void {
    const reserved = lease.spends[chargeId]?.credits ?? 0
    const paid = Math.min(reserved, credits)
    delete lease.spends[chargeId]
    lease.paid += paid
    this.#count(lease, paid - reserved)
  }

  /** Counts a spend for the other leases of the month. */
  #count({ id, source, subject, period }: Lease, credits: number): void {
    if (source === "credits") return
    for (const other of this.#leases)
      if (other.id !== id && other.subject === subject && other.period === period) other.usedBefore += credits
  }

  #recentBy(now: number): number {
    return this.#recent * Math.exp(Math.min(0, this.#recentAt - now) / BLOCK_MS)
  }

  #remove(which: (lease: Lease) => boolean): void {
    const at = this.#leases.findIndex(which)
    if (at >= 0) this.#leases.splice(at, 1)
  }
}

function areSame(one: LeaseTerms, other: LeaseTerms): boolean {
  return (["subject", "keyId", "period", "limit"] as const).every((field) => one[field] === other[field])
}

function spentOf({ paid, spends }: Lease): number {
  return Object.values(spends).reduce((sum, { credits }) => sum + credits, paid)
}

function restOf(lease: Lease): number {
  return lease.size - spentOf(lease)
}

/** When a lease is retired, Unix ms. One with running calls is not idle. */
function retiresAt(lease: Lease): number {
  if (lease.state === "retired") return Number.POSITIVE_INFINITY
  const isRunning = Object.keys(lease.spends).length > 0
  return Math.min(lease.openedAt + MAX_AGE_MS, isRunning ? Number.POSITIVE_INFINITY : lease.touchedAt + IDLE_MS)
}

/** An uncertain opening may have credits in the ledger. */
function isReturnable(lease: Lease): boolean {
  return lease.state === "opening" || restOf(lease) > 0
}

function isUnsettled(lease: Lease): boolean {
  return lease.state === "retired" && (Object.keys(lease.spends).length === 0 || restOf(lease) > 0)
}
