import type { Caller } from "../../domain/accounts/caller.ts"
import { type Allowance, periodOf, secondsToNextPeriod } from "../../domain/plans/tiers.ts"
import { AppError } from "../../errors.ts"
import type { Clock } from "../platform.ts"
import type { ChargeStore } from "../store/charges.ts"
import { type RemoteGate, tooMany } from "./gates.ts"

/** A reserved charge. Work that costs less than reserved gives the rest back when it is settled. */
export interface OpenCharge {
  readonly chargeId: string
  settle(credits: number): Promise<void>
}

/** What the caller's limits looked like after the last reservation, for the RateLimit headers. */
export interface LimitState {
  readonly allowance: Allowance
  readonly usedInMonth: number
  readonly remainingInMinute: number | null
  readonly minuteResetSeconds: number
  readonly monthResetSeconds: number
}

/** Counts one caller's work. */
export interface Meter {
  /** Admits the request and reserves all credits or none. @throws AppError rate_limited or unavailable */
  reserve(credits: number, options?: { kind?: "call" | "job"; chargeId?: string }): Promise<OpenCharge>
  /** Null before the first reservation and for callers without limits. */
  state(): LimitState | null
}

export interface MeterNeeds {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly charges: ChargeStore
}

/** @param gate the caller's own gate; null for the operator, whose work is not counted */
export function createMeter(needs: MeterNeeds, caller: Caller, gate: RemoteGate | null): Meter {
  let state: LimitState | null = null
  return {
    state: () => state,

    async reserve(credits, { kind = "call", chargeId = needs.randomToken() } = {}) {
      if (caller.kind === "admin" || !gate) return { chargeId, settle: async () => undefined }
      const { subject, allowance } = caller
      const now = needs.clock.now()
      const keyId = caller.kind === "member" ? caller.keyId : null
      const charge = { chargeId, subject, limit: allowance.perMonth, keyId, period: periodOf(now), credits, kind }
      const taken = await gate.take({ charge, perMinute: allowance.perMinute })
      const monthResetSeconds = secondsToNextPeriod(now)
      if (taken.kind === "too_fast") throw tooMany(Math.ceil(taken.retryAfterMs / 1000))
      if (taken.kind === "exhausted") throw tooMany(monthResetSeconds)
      if (taken.kind === "unavailable") throw storeUnavailable()
      state = {
        allowance,
        usedInMonth: taken.used,
        remainingInMinute: taken.remaining,
        minuteResetSeconds: Math.max(1, Math.ceil(taken.resetMs / 1000)),
        monthResetSeconds,
      }
      return { chargeId, settle: (used) => needs.charges.settle(chargeId, used) }
    },
  }
}

function storeUnavailable(): AppError {
  return new AppError("unavailable", "the account store does not answer; try again shortly", {
    headers: { "retry-after": "5" },
  })
}
