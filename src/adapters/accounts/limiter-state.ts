import type { KeyRestrictions } from "../../domain/accounts/key-restrictions.ts"
import {
  authorize,
  countOnDay,
  type DayCount,
  type Rate,
  usedOn,
  type Window,
} from "../../domain/accounts/rate-limits.ts"
import { Recent } from "../../domain/recent.ts"
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from "../../domain/time.ts"
import { isStorageFailure } from "../../errors.ts"
import type { Charge, Reservation } from "../store/accounts/charges.ts"
import type { KeyRecord } from "../store/accounts/keys.ts"
import type { QueueEntry } from "../store/database.ts"

/** The stored part of a key, without personal data. */
export interface StoredKey extends Pick<KeyRecord, "keyId" | "accountId" | "tier"> {
  /** Both are missing in state that an earlier release stored. */
  readonly restrictions?: KeyRestrictions | null
  readonly createdBy?: string | null
  /** Unix ms. */
  readonly readAt: number
}

/** A key as its limiter sees it. The owner's email is null while the store is unavailable. */
export interface ActiveKey extends Omit<StoredKey, "readAt"> {
  readonly ownerEmail: string | null
}

/** The state of the key behind a secret. */
export type KeyState =
  | { readonly kind: "active"; readonly key: ActiveKey }
  | { readonly kind: "suspended" }
  | { readonly kind: "refused" }
  | { readonly kind: "unavailable" }

export interface ReserveRequest {
  readonly charge: Charge
  /** Requests a minute; null is unlimited. */
  readonly perMinute: number | null
  /** The request's place in the queue for the database. */
  readonly queueEntry: QueueEntry
}

export type ReserveResult =
  | {
      readonly kind: "taken"
      /** The charge was spent from a lease, so the limiter settles it. */
      readonly isLeased: boolean
      readonly used: number
      /** Bought credits that remain; null when the month paid. */
      readonly creditsLeft: number | null
      readonly remaining: number | null
      readonly resetMs: number
    }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }
  | { readonly kind: "exhausted"; readonly used: number; readonly creditsLeft: number | null }
  /** `isStorageFailure`: the ledger answers, and accepts no writes. */
  | { readonly kind: "unavailable"; readonly isStorageFailure: boolean }

export interface CountAllowed {
  readonly accepted: true
  readonly remaining: number
  readonly resetMs: number
}

interface CountRefused {
  readonly accepted: false
  readonly retryAfterMs: number
}

export type CountResult = CountAllowed | CountRefused

/** One call of a form with a publishable key. */
export interface FormCall {
  /** Keyed hash of the visitor's network. */
  readonly visitor: string
  /** Calls a minute of one visitor. */
  readonly perMinute: number
  /** Calls a UTC day of all visitors. */
  readonly dailyBudget: number
}

export type FormCallResult = { readonly accepted: true } | (CountRefused & { readonly limit: "visitor" | "day" })

export interface KeyLimiterDeps {
  readonly now: () => number
  readonly findKey: (digest: string) => Promise<KeyRecord | null>
  readonly reserve: (charge: Charge, now: number, queueEntry: QueueEntry) => Promise<Reservation>
  /** Stores the log of counted requests across a restart. */
  readonly saveWindow: (window: Window) => void
  /** Stores the count of a day durably before any later answer of this limiter. */
  readonly saveDay: (count: DayCount) => void
  /** Stores an active key across a restart; null deletes it. */
  readonly saveKey: (key: StoredKey | null) => void
  /** Schedules a call of `wake` at that time, Unix ms, in any later instance too. */
  readonly wakeAt: (at: number) => void
  /** Deletes all stored state. */
  readonly clear: () => Promise<void>
}

/** The state that a limiter stored before its last stop. */
export interface StoredState {
  readonly window: Window
  readonly key: StoredKey | null
  readonly day: DayCount | null
}

/** A key row is read again after this time, so that a change that missed the limiter still arrives. */
const REFRESH_MS = 60_000
/** Pause after a failed read, for keys with a known state. */
const PAUSE_MS = 5_000
/** Unchanged state is stored again only after this time. */
const STORE_EVERY_MS = HOUR_MS
/** The longest outage during which a stored key is trusted; longer than the window of any limit. */
const RETENTION_MS = DAY_MS
/** Visitors of a form whose minute is counted, the most recent ones. */
const MAX_VISITORS = 10_000

/** Exact, immediate limits of one key, account or anonymous network. A Durable Object holds the only instance. */
export class KeyLimiter {
  readonly #deps: KeyLimiterDeps
  #window: Window
  #day: DayCount | null
  /** Not stored: a restart forgets a minute at most, and leaves no trace of a visitor. */
  readonly #visitors = new Recent<Window>(MAX_VISITORS)
  #key: { state: KeyState; readAt: number } | null = null
  #storedKey: StoredKey | null
  #loading: Promise<KeyState> | null = null
  #failedAt = Number.NEGATIVE_INFINITY
  /** A wake-up is scheduled that checks whether the stored state may be deleted. */
  #hasAlarm: boolean
  /** Incremented when the key changes: a row read before the change is not stored after it. */
  #epoch = 0

  constructor(deps: KeyLimiterDeps, { window, key, day }: StoredState) {
    this.#deps = deps
    this.#window = window
    this.#storedKey = key
    this.#day = day
    this.#hasAlarm = window.length > 0 || key !== null || day !== null
  }

  /** The key of a digest, cached. While the store is unavailable the cached state is used, also after a restart. */
  async check(digest: string): Promise<KeyState> {
    const now = this.#deps.now()
    const known = this.#key
    if (known && now - known.readAt < REFRESH_MS) return known.state
    const fallback = now - this.#failedAt < PAUSE_MS ? this.#fallbackState() : null
    if (fallback) return fallback
    this.#loading ??= this.#load(digest)
    return this.#loading
  }

  /** Invalidates the cached key. Called after every change of the key. */
  invalidate(): void {
    this.#epoch++
    this.#key = null
    this.#loading = null
    this.#storeKey(null)
  }

  /** Deletes state unused for a day: otherwise a trace of every anonymous network would remain. */
  async wake(): Promise<void> {
    const usedSince = this.#deps.now() - RETENTION_MS
    this.#hasAlarm = false
    const isCounting = this.#day !== null && this.#day.day > dayOf(usedSince)
    if (isCounting || (this.#window.at(-1) ?? 0) >= usedSince || (this.#storedKey?.readAt ?? 0) >= usedSince)
      return this.#scheduleWake()
    this.#window = []
    this.#day = null
    this.#storedKey = null
    await this.#deps.clear()
  }

  /** Counts one request against the minute's limit and reserves its credits. A refusal changes neither. */
  async reserve({ charge, perMinute, queueEntry }: ReserveRequest): Promise<ReserveResult> {
    const now = this.#deps.now()
    let remaining: number | null = null
    let resetMs = MINUTE_MS
    if (perMinute !== null) {
      const admission = authorize(this.#window, { limit: perMinute, windowMs: MINUTE_MS }, { now })
      if (!admission.accepted) return { kind: "too_fast", retryAfterMs: admission.retryAfterMs }
      this.#storeWindow(admission.window)
      remaining = admission.remaining
      resetMs = admission.resetMs
    }
    const reserved = await this.#deps.reserve(charge, now, queueEntry).catch((error: unknown) => ({ error }))
    if ("granted" in reserved && reserved.granted) {
      const { isLeased = false, used, creditsLeft } = reserved
      return { kind: "taken", isLeased, used, creditsLeft, remaining, resetMs }
    }
    if (perMinute !== null) this.#undoCount(now)
    if ("error" in reserved) return { kind: "unavailable", isStorageFailure: isStorageFailure(reserved.error) }
    return { kind: "exhausted", used: reserved.used, creditsLeft: reserved.creditsLeft }
  }

  /** Counts requests or actions without a charge, all or none. */
  count(rate: Rate, n = 1): CountResult {
    const admission = authorize(this.#window, rate, { now: this.#deps.now(), n })
    if (!admission.accepted) return admission
    this.#storeWindow(admission.window)
    return { accepted: true, remaining: admission.remaining, resetMs: admission.resetMs }
  }

  /** Counts one call of a form against its visitor's minute and the key's day. A refusal changes neither. */
  countFormCall({ visitor, perMinute, dailyBudget }: FormCall): FormCallResult {
    const now = this.#deps.now()
    const ofVisitor = this.#visitors.get(visitor) ?? []
    const minute = authorize(ofVisitor, { limit: perMinute, windowMs: MINUTE_MS }, { now })
    if (!minute.accepted) return { ...minute, limit: "visitor" }
    const day = countOnDay(this.#day, { budget: dailyBudget, now })
    if (!day.accepted) return { ...day, limit: "day" }
    this.#visitors.set(visitor, minute.window)
    this.#day = day.count
    this.#deps.saveDay(day.count)
    this.#scheduleWake()
    return { accepted: true }
  }

  usedToday(): number {
    return usedOn(this.#day, this.#deps.now())
  }

  async #load(digest: string): Promise<KeyState> {
    const epoch = this.#epoch
    try {
      const key = await this.#deps.findKey(digest)
      const state = stateOf(key)
      const readAt = this.#deps.now()
      if (epoch === this.#epoch) {
        this.#key = { state, readAt }
        this.#storeKey(state.kind === "active" ? { ...state.key, readAt } : null)
      }
      return state
    } catch {
      this.#failedAt = this.#deps.now()
      return this.#fallbackState() ?? { kind: "unavailable" }
    } finally {
      if (epoch === this.#epoch) this.#loading = null
    }
  }

  /** The state to use while the store is unavailable. */
  #fallbackState(): KeyState | null {
    if (this.#key) return this.#key.state
    if (!this.#storedKey || this.#deps.now() - this.#storedKey.readAt > RETENTION_MS) return null
    const { keyId, accountId, tier, restrictions = null, createdBy = null } = this.#storedKey
    return { kind: "active", key: { keyId, accountId, tier, restrictions, createdBy, ownerEmail: null } }
  }

  #storeKey(key: StoredKey | null): void {
    const stored = this.#storedKey
    if (!key && !stored) return
    if (key && stored && isSameKey(key, stored) && key.readAt - stored.readAt < STORE_EVERY_MS) return
    this.#storedKey = key && pickStored(key)
    this.#deps.saveKey(this.#storedKey)
    this.#scheduleWake()
  }

  #storeWindow(window: Window): void {
    this.#window = window
    this.#deps.saveWindow(window)
    this.#scheduleWake()
  }

  #scheduleWake(): void {
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    this.#deps.wakeAt(this.#deps.now() + RETENTION_MS)
  }

  #undoCount(countedAt: number): void {
    const index = this.#window.lastIndexOf(countedAt)
    if (index >= 0) this.#storeWindow(this.#window.toSpliced(index, 1))
  }
}

/** Without personal data. */
function pickStored({ keyId, accountId, tier, restrictions = null, createdBy = null, readAt }: StoredKey): StoredKey {
  return { keyId, accountId, tier, restrictions, createdBy, readAt }
}

/** Whether two reads of a key found the same. */
function isSameKey(one: StoredKey, other: StoredKey): boolean {
  const textOf = (key: StoredKey) => JSON.stringify({ ...pickStored(key), readAt: 0 })
  return textOf(one) === textOf(other)
}

function stateOf(key: KeyRecord | null): KeyState {
  if (!key?.isActive) return { kind: "refused" }
  return key.isSuspended ? { kind: "suspended" } : { kind: "active", key }
}
