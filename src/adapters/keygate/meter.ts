import type { Caller } from "../../domain/accounts/caller.ts"
import { periodOf, secondsToNextPeriod } from "../../domain/plans/tiers.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import type { Clock } from "../platform.ts"
import type { ChargeStore } from "../store/charges.ts"
import { countOrRefuse, creditsExhausted, type RemoteGate, storeUnavailable, tooMany } from "./gates.ts"

/** A reserved charge. Work that costs less than reserved gives the rest back when it is settled. */
export interface OpenCharge {
  readonly chargeId: string
  settle(credits: number): Promise<void>
}

/** What the caller's limits looked like when this request was last counted, for the RateLimit headers. */
export interface LimitState {
  readonly remainingInMinute: number | null
  readonly minuteResetSeconds: number
  /** Null of a request that has reserved nothing: the month was not looked at. */
  readonly month: {
    /** Credits that this request has asked for, whatever became of them. */
    readonly reserved: number
    readonly used: number
    readonly resetSeconds: number
  } | null
}

/** Counts one caller's work; nobody's before it has been told whose, as in background work. */
export interface Meter {
  /** From here on the work is this caller's. @param gate gives the caller's own gate when there is something to count */
  countFor(caller: Caller, gate: () => Promise<RemoteGate>): void
  /** Charges from here on are named after this: the same request tried again is not charged again. */
  nameCharges(name: string): void
  /**
   * Admits the request under the minute's limit alone, before work that comes before its charge or has none. A reservation
   * after it is the same request. @throws AppError rate_limited
   */
  admit(): Promise<void>
  /** Admits the request, once for all its reservations, and reserves all credits or none. @throws AppError rate_limited or unavailable */
  reserve(credits: number, options?: { kind?: "call" | "job"; chargeId?: string }): Promise<OpenCharge>
  /** Null of a request that was not counted, as those of callers without limits. */
  state(): LimitState | null
}

export interface MeterNeeds {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly charges: ChargeStore
}

export function createMeter(needs: MeterNeeds): Meter {
  let month: LimitState["month"] = null
  /** What the minute's limit said when the request was admitted; null before. */
  let minute: { readonly remaining: number | null; readonly resetMs: number } | null = null
  let names: { name: string; next: number } | null = null
  const nextName = () => (names ? `${names.name}:${names.next++}` : needs.randomToken())
  let payer: { caller: Caller; gate: () => Promise<RemoteGate> } | null = null
  return {
    countFor(caller, gate) {
      payer = { caller, gate }
    },

    nameCharges(name) {
      names = { name, next: 0 }
    },

    state() {
      if (!minute) return null
      const minuteResetSeconds = Math.max(1, Math.ceil(minute.resetMs / 1000))
      return { remainingInMinute: minute.remaining, minuteResetSeconds, month }
    },

    async admit() {
      if (!payer || payer.caller.kind === "admin" || minute) return
      const { perMinute } = payer.caller.allowance
      if (perMinute !== null)
        minute = await countOrRefuse(await payer.gate(), { limit: perMinute, windowMs: MINUTE_MS })
    },

    async reserve(credits, { kind = "call", chargeId = nextName() } = {}) {
      if (!payer || payer.caller.kind === "admin") return { chargeId, settle: async () => undefined }
      const { caller } = payer
      const { subject, allowance } = caller
      const now = needs.clock.now()
      const keyId = caller.kind === "member" ? caller.keyId : null
      const charge = { chargeId, subject, limit: allowance.perMonth, keyId, period: periodOf(now), credits, kind }
      const perMinute = minute ? null : allowance.perMinute
      const taken = await (await payer.gate()).take({ charge, perMinute })
      const monthResetSeconds = secondsToNextPeriod(now)
      if (taken.kind === "too_fast") throw tooMany(Math.ceil(taken.retryAfterMs / 1000))
      if (taken.kind === "exhausted") {
        const limit = `the month's limit of ${charge.limit} is reached: ${taken.used} used, ${credits} asked for`
        throw taken.creditsLeft === null ? tooMany(monthResetSeconds, limit) : creditsExhausted()
      }
      if (taken.kind === "unavailable") throw storeUnavailable()
      minute ??= taken
      month = { reserved: (month?.reserved ?? 0) + credits, used: taken.used, resetSeconds: monthResetSeconds }
      return { chargeId, settle: (used) => needs.charges.settle(chargeId, used) }
    },
  }
}
