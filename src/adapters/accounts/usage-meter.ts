import { type Caller, limitSubjectOf } from "../../domain/accounts/caller.ts"
import { isTestAccount } from "../../domain/accounts/test-mode.ts"
import { periodOf, secondsToNextPeriod } from "../../domain/accounts/tiers.ts"
import { reachedPercents } from "../../domain/accounts/usage.ts"
import { Recent } from "../../domain/recent.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import {
  type AppError,
  creditsExhausted,
  monthExceeded,
  outsideTestMode,
  storageUnavailable,
  storeUnavailable,
  tooMany,
} from "../../errors.ts"
import type { Platform } from "../platform.ts"
import type { QueueEntry } from "../store/database.ts"
import type { Stores } from "../store/stores.ts"
import type { RemoteKeyLimiter } from "./key-limiters.ts"
import type { ReserveResult } from "./limiter-state.ts"

/** A reserved charge. Settling it for less returns the rest, and the caller's next call can use it. */
export interface OpenReservation {
  readonly chargeId: string
  settle(credits: number): Promise<void>
}

/** The caller's limits when this request was last counted, for the RateLimit headers. */
export interface LimitState {
  readonly remainingInMinute: number | null
  readonly minuteResetSeconds: number
  /** Null for a request that reserved nothing: the month was not read. */
  readonly month: {
    /** Credits that this request asked for, reserved or not. */
    readonly reserved: number
    readonly used: number
    readonly resetSeconds: number
    /** Bought credits that remain; null when the month paid. */
    readonly boughtLeft: number | null
  } | null
}

/** Counts the work of one request against its caller's limits. */
export interface UsageMeter {
  /** The account or network whose limits of free work apply. Null for the operator and for background work. */
  readonly subject: string | null
  /** Counts the request against the minute limit, once with a later reservation. @throws AppError rate_limited */
  authorize(): Promise<void>
  /**
   * Counts the request once for all its reservations, and reserves all credits or none. No credits cost no write. What
   * costs credits is outside test mode. @throws AppError rate_limited, unavailable, forbidden for a test key
   */
  reserve(credits: number, options?: { kind?: "call" | "job"; chargeId?: string }): Promise<OpenReservation>
  /** Null for a request that was not counted, such as those of callers without limits. */
  state(): LimitState | null
  /** A meter of the same request whose charges get this name: a retry of the request is not charged again. */
  named(name: string): UsageMeter
}

interface MeterDeps extends Pick<Platform, "clock" | "randomToken" | "background"> {
  readonly store: Pick<Stores, "charges" | "usageAlerts">
  readonly queueEntry: QueueEntry
}

interface Metered {
  readonly caller: Caller
  /** Returns the caller's limiter. Called only when there is something to count. */
  readonly limiter: () => Promise<RemoteKeyLimiter>
  /** The prefix of charge ids. Without it they are random. */
  readonly name?: string
  /** The minute limit when the request was counted, null before. */
  readonly minute?: { readonly remaining: number | null; readonly resetMs: number } | null
}

/** Thresholds of accounts that this isolate has recorded, so that each is written about once. */
const reached = new Recent<true>(10_000)

/** Creates the meter of one request. The operator has no limits. */
export function createUsageMeter(deps: MeterDeps, metered: Metered): UsageMeter {
  const { caller, limiter, name } = metered
  let minute = metered.minute ?? null
  const named = (newName: string) => createUsageMeter(deps, { ...metered, name: newName, minute })
  let charges = 0
  const nextId = () => (name === undefined ? deps.randomToken() : `${name}:${charges++}`)
  if (caller.kind === "admin")
    return {
      subject: null,
      authorize: async () => undefined,
      reserve: async (_, { chargeId = nextId() } = {}) => ({ chargeId, settle: async () => undefined }),
      state: () => null,
      named,
    }
  const { subject, allowance } = caller
  const keyId = caller.kind === "member" ? caller.keyId : null
  let month: LimitState["month"] = null
  /** Records the thresholds that the account has reached. Bought credits pay only when the month's are used up. */
  function alert({ limit, period }: { limit: number | null; period: string }, reservation: ReserveResult) {
    if (
      caller.kind !== "member" ||
      limit === null ||
      reservation.kind === "too_fast" ||
      reservation.kind === "unavailable"
    )
      return
    const used = reservation.kind === "taken" && reservation.creditsLeft === null ? reservation.used : limit
    for (const percent of reachedPercents({ used, limit })) {
      const { accountId } = caller
      const name = `${accountId} ${period} ${percent}`
      if (reached.get(name)) continue
      reached.set(name, true)
      const at = deps.clock.now()
      const recording = deps.store.usageAlerts.reach({ accountId, period, percent, credits: limit, at })
      // The account's next call records it.
      deps.background(recording.catch(() => void reached.delete(name)))
    }
  }
  async function authorize() {
    if (minute || allowance.perMinute === null) return
    const counted = await (await limiter()).count({ limit: allowance.perMinute, windowMs: MINUTE_MS })
    if (!counted.accepted) throw tooMany(Math.ceil(counted.retryAfterMs / 1000), "minute_exceeded")
    minute = counted
  }
  return {
    subject: limitSubjectOf(caller),

    named,

    state() {
      if (!minute) return null
      const minuteResetSeconds = Math.max(1, Math.ceil(minute.resetMs / 1000))
      return { remainingInMinute: minute.remaining, minuteResetSeconds, month }
    },

    authorize,

    async reserve(credits, { kind = "call", chargeId } = {}) {
      const id = chargeId ?? nextId()
      if (credits > 0) refuseOutsideTestMode(caller)
      else {
        await authorize()
        return { chargeId: id, settle: async () => undefined }
      }
      const now = deps.clock.now()
      const isLeasable = kind === "call" && chargeId === undefined && name === undefined
      const charge = {
        chargeId: id,
        subject,
        limit: allowance.perMonth,
        keyId,
        period: periodOf(now),
        credits,
        kind,
        ...(isLeasable ? { isLeasable } : {}),
      }
      const perMinute = minute ? null : allowance.perMinute
      const from = await limiter()
      const reservation = await from.reserve({ charge, perMinute, queueEntry: { ...deps.queueEntry } })
      const monthResetSeconds = secondsToNextPeriod(now)
      if (reservation.kind === "too_fast") throw tooMany(Math.ceil(reservation.retryAfterMs / 1000), "minute_exceeded")
      alert(charge, reservation)
      if (reservation.kind === "exhausted") throw exhausted(charge, reservation, now)
      if (reservation.kind === "unavailable")
        throw reservation.isStorageFailure ? storageUnavailable() : storeUnavailable()
      minute ??= reservation
      month = {
        reserved: (month?.reserved ?? 0) + credits,
        used: reservation.used,
        resetSeconds: monthResetSeconds,
        boughtLeft: reservation.creditsLeft,
      }
      if (!reservation.isLeased) return { chargeId: id, settle: (used) => deps.store.charges.settle(id, used) }
      return {
        chargeId: id,
        async settle(used) {
          // A lost settlement is free: the limiter ends the charge by itself.
          const settling = from.settle(id, used).catch(() => undefined)
          // The reservation counts as used, so only a refund changes what the next call sees.
          if (used >= credits) deps.background(settling)
          else await settling
        },
      }
    },
  }
}

/** Only work outside test mode costs a test key credits. @throws AppError forbidden */
function refuseOutsideTestMode(caller: Caller): void {
  if (caller.kind === "member" && isTestAccount(caller.accountId)) throw outsideTestMode()
}

function exhausted(
  { limit, credits }: { readonly limit: number | null; readonly credits: number },
  { used, creditsLeft }: { readonly used: number; readonly creditsLeft: number | null },
  now: number,
): AppError {
  if (creditsLeft !== null || limit === null) return creditsExhausted()
  return monthExceeded({ limit, used, requested: credits, secondsToNextMonth: secondsToNextPeriod(now), now })
}
