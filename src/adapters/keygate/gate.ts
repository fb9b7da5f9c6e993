import { admit, type Rate, type Window } from "../../domain/limits/window.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../domain/time.ts"
import type { Charge, ChargeStore } from "../store/charges.ts"
import type { KeyRecord } from "../store/keys.ts"

/** What of a key its gate keeps over a restart: nothing that names a person. */
export interface KeptKey extends Pick<KeyRecord, "keyId" | "accountId" | "tier"> {
  /** Unix ms. */
  readonly readAt: number
}

/** A key as its gate knows it; whose it is is not known while the store does not answer. */
export interface OpenKey extends Omit<KeptKey, "readAt"> {
  readonly ownerEmail: string | null
}

/** What a key secret stands for, as its gate knows it. */
export type KeyState =
  | { readonly kind: "active"; readonly key: OpenKey }
  | { readonly kind: "refused" }
  | { readonly kind: "unavailable" }

export interface Take {
  readonly charge: Charge
  /** Requests a minute; null is unlimited. */
  readonly perMinute: number | null
}

export type Taken =
  | { readonly kind: "taken"; readonly used: number; readonly remaining: number | null; readonly resetMs: number }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }
  | { readonly kind: "exhausted"; readonly used: number; readonly creditsLeft: number | null }
  | { readonly kind: "unavailable" }

export interface Admitted {
  readonly admitted: true
  readonly remaining: number
  readonly resetMs: number
}

export type Counted = Admitted | { readonly admitted: false; readonly retryAfterMs: number }

export interface GateNeeds {
  readonly now: () => number
  readonly findKey: (digest: string) => Promise<KeyRecord | null>
  readonly reserve: ChargeStore["reserve"]
  /** Keeps the log of admissions over a restart. */
  readonly saveWindow: (window: Window) => void
  /** Keeps an active key over a restart; null when it is to be forgotten. */
  readonly saveKey: (key: KeptKey | null) => void
  /** Has `wake` called at that time, Unix ms, wherever the gate is by then. */
  readonly wakeAt: (at: number) => void
  /** Removes all that is kept. */
  readonly clear: () => Promise<void>
}

/** What a gate had kept when it was last stopped. */
export interface Kept {
  readonly window: Window
  readonly key: KeptKey | null
}

/** A key row is read again after this long, so that a change that missed the gate still arrives. */
const REFRESH_MS = 60_000
/** How long a store that did not answer is not asked about a key again whose state is known. */
const PAUSE_MS = 5_000
/** What is kept is written again after this long at the earliest, unless it has changed. */
const KEEP_EVERY_MS = HOUR_MS
/** The longest outage over which a kept key is believed, and longer than the window of any limit. */
const KEPT_MS = DAY_MS

/**
 * What must be exact and instant about one key, one account or one anonymous network. There is one gate for each in the
 * whole world (a Durable Object), and it handles one thing at a time between its waits.
 */
export class Gate {
  readonly #needs: GateNeeds
  #window: Window
  #key: { state: KeyState; readAt: number } | null = null
  #kept: KeptKey | null
  #loading: Promise<KeyState> | null = null
  #failedAt = Number.NEGATIVE_INFINITY
  /** Somebody will wake it to see whether what it keeps may go. */
  #isWatched: boolean
  /** Grows when the key changes: a row read before the change is not kept after it. */
  #epoch = 0

  constructor(needs: GateNeeds, { window, key }: Kept) {
    this.#needs = needs
    this.#window = window
    this.#kept = key
    this.#isWatched = window.length > 0 || key !== null
  }

  /**
   * The key behind a digest, read once and then known. While the store does not answer, what is known holds, over a
   * restart too: every change of the key would have come by here.
   */
  async open(digest: string): Promise<KeyState> {
    const now = this.#needs.now()
    const known = this.#key
    if (known && now - known.readAt < REFRESH_MS) return known.state
    const standIn = now - this.#failedAt < PAUSE_MS ? this.#standIn() : null
    if (standIn) return standIn
    this.#loading ??= this.#load(digest)
    return this.#loading
  }

  /** The next call of `open` reads the key again. Called after every change of it. */
  forget(): void {
    this.#epoch++
    this.#key = null
    this.#loading = null
    this.#keepKey(null)
  }

  /** Removes what is kept when it has not been used for a day: else every network that ever called would leave its trace. */
  async wake(): Promise<void> {
    const usedSince = this.#needs.now() - KEPT_MS
    this.#isWatched = false
    if ((this.#window.at(-1) ?? 0) >= usedSince || (this.#kept?.readAt ?? 0) >= usedSince) return this.#watch()
    this.#window = []
    this.#kept = null
    await this.#needs.clear()
  }

  /** Admits one request under the minute's limit and reserves its credits; one refusal leaves both untouched. */
  async take({ charge, perMinute }: Take): Promise<Taken> {
    const now = this.#needs.now()
    let remaining: number | null = null
    let resetMs = MINUTE_MS
    if (perMinute !== null) {
      const admission = admit(this.#window, { limit: perMinute, windowMs: MINUTE_MS }, { now })
      if (!admission.admitted) return { kind: "too_fast", retryAfterMs: admission.retryAfterMs }
      this.#keep(admission.window)
      remaining = admission.remaining
      resetMs = admission.resetMs
    }
    const reserved = await this.#needs.reserve(charge, now).catch(() => null)
    if (reserved?.granted) return { kind: "taken", used: reserved.used, remaining, resetMs }
    if (perMinute !== null) this.#giveBack(now)
    if (!reserved) return { kind: "unavailable" }
    return { kind: "exhausted", used: reserved.used, creditsLeft: reserved.creditsLeft }
  }

  /** Counts events without a charge, all or none: requests of an account, or against the limit of the action it guards. */
  count(rate: Rate, n = 1): Counted {
    const admission = admit(this.#window, rate, { now: this.#needs.now(), n })
    if (!admission.admitted) return admission
    this.#keep(admission.window)
    return { admitted: true, remaining: admission.remaining, resetMs: admission.resetMs }
  }

  async #load(digest: string): Promise<KeyState> {
    const epoch = this.#epoch
    try {
      const key = await this.#needs.findKey(digest)
      const state: KeyState = key?.isActive ? { kind: "active", key } : { kind: "refused" }
      const readAt = this.#needs.now()
      if (epoch === this.#epoch) {
        this.#key = { state, readAt }
        this.#keepKey(state.kind === "active" ? { ...state.key, readAt } : null)
      }
      return state
    } catch {
      this.#failedAt = this.#needs.now()
      return this.#standIn() ?? { kind: "unavailable" }
    } finally {
      if (epoch === this.#epoch) this.#loading = null
    }
  }

  /** What stands in for a store that does not answer. */
  #standIn(): KeyState | null {
    if (this.#key) return this.#key.state
    if (!this.#kept || this.#needs.now() - this.#kept.readAt > KEPT_MS) return null
    const { keyId, accountId, tier } = this.#kept
    return { kind: "active", key: { keyId, accountId, tier, ownerEmail: null } }
  }

  #keepKey(key: KeptKey | null): void {
    const kept = this.#kept
    if (!key && !kept) return
    if (key && kept && key.tier === kept.tier && key.accountId === kept.accountId)
      if (key.readAt - kept.readAt < KEEP_EVERY_MS) return
    this.#kept = key && { keyId: key.keyId, accountId: key.accountId, tier: key.tier, readAt: key.readAt }
    this.#needs.saveKey(this.#kept)
    this.#watch()
  }

  #keep(window: Window): void {
    this.#window = window
    this.#needs.saveWindow(window)
    this.#watch()
  }

  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#needs.wakeAt(this.#needs.now() + KEPT_MS)
  }

  #giveBack(admittedAt: number): void {
    const index = this.#window.lastIndexOf(admittedAt)
    if (index >= 0) this.#keep(this.#window.toSpliced(index, 1))
  }
}
