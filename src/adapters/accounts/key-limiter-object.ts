import { DurableObject } from "cloudflare:workers"
import type { Lease } from "../../domain/accounts/lease-book.ts"
import type { DayCount, Rate, Window } from "../../domain/accounts/rate-limits.ts"
import type { Bindings } from "../../env.ts"
import { rootCause } from "../../errors.ts"
import { Memo } from "../cache.ts"
import { outboundOf, unreachableLog } from "../outbound.ts"
import { type Clock, jsonLog, type Log, randomToken, systemClock } from "../platform.ts"
import { createChargeStore, createLeaseStore } from "../store/accounts/charges.ts"
import { createKeyStore } from "../store/accounts/keys.ts"
import { openDatabase, type QueueEntry } from "../store/database.ts"
import { CreditLeases } from "./credit-leases.ts"
import { type KeyLimiterNamespace, limiterOf, recallLeases } from "./key-limiters.ts"
import {
  type CountResult,
  type FormCall,
  type FormCallResult,
  KeyLimiter,
  type KeyState,
  type ReserveRequest,
  type ReserveResult,
  type StoredKey,
} from "./limiter-state.ts"

interface LimiterBindings extends Pick<Bindings, "OUTBOUND"> {
  readonly LIBSQL_URL: string
  readonly LIBSQL_AUTH_TOKEN?: string
  readonly LIBSQL_WRITES?: string
  readonly KEY_GATE: KeyLimiterNamespace
}

const WINDOW = "window"
const KEY = "key"
const LEASES = "leases"
const DAY = "day"
/** Counted requests are stored together after this time: a busy window has thousands of them. */
const SAVE_MS = 100

/** The Durable Object of a rate limiter: one for each key, account or anonymous network, named by a keyed hash. */
export class KeyLimiterObject extends DurableObject<LimiterBindings> {
  #limiter!: KeyLimiter
  #leases!: CreditLeases
  /** The scheduled alarm, Unix ms. An object has one. */
  #alarmAt: number | null = null

  constructor(state: DurableObjectState, bindings: LimiterBindings) {
    super(state, bindings)
    const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken, LIBSQL_WRITES: writes } = bindings
    const address = { url, authToken, writes: writes ? Number(writes) : undefined }
    const fetch = outboundOf(bindings, unreachableLog(jsonLog({}), systemClock))
    const database = (queueEntry: QueueEntry) => openDatabase(address, { fetch, queueEntry: () => queueEntry })
    // Callers learn only that the store is unavailable, so the reason is logged here.
    const report = storeFailureLog(jsonLog({}), systemClock)
    const reported = <T>(work: Promise<T>): Promise<T> => {
      work.catch(report)
      return work
    }
    const { storage } = state
    const gate = state.id.toString()
    const ledger = (queueEntry: QueueEntry) => {
      const [charges, leases] = [createChargeStore(database(queueEntry)), createLeaseStore(database(queueEntry))]
      // A failed write resets this object. A call to the database that had begun would then hold its place until its
      // lease ends, and delay the calls of others. The platform holds a call that opens a lease until the spend before
      // it is on disk, also without this. At a call a second, 4 % of the calls of a key open a lease.
      const afterStored = <T>(work: () => Promise<T>) => reported(storage.sync().then(work))
      return {
        reserve: (...given: Parameters<typeof charges.reserve>) => afterStored(() => charges.reserve(...given)),
        open: (...given: Parameters<typeof leases.open>) => afterStored(() => leases.open(...given)),
        settle: (...given: Parameters<typeof leases.settle>) => afterStored(() => leases.settle(...given)),
      }
    }
    const newQueueEntry = () => ({ queue: gate, since: Date.now(), deadlineAt: 0 })
    const wakeAt = (at: number) => {
      if (this.#alarmAt !== null && this.#alarmAt <= at) return
      this.#alarmAt = at
      void storage.setAlarm(at, { allowUnconfirmed: true })
    }
    state.blockConcurrencyWhile(async () => {
      const [window = [], key = null, leases = [], day = null, alarmAt] = await Promise.all([
        storage.get<Window>(WINDOW),
        storage.get<StoredKey>(KEY),
        storage.get<Lease[]>(LEASES),
        storage.get<DayCount>(DAY),
        storage.getAlarm(),
      ])
      this.#alarmAt = alarmAt
      this.#leases = new CreditLeases(
        {
          gate,
          now: () => Date.now(),
          newId: randomToken,
          // Confirmed: an answer or a call to the database waits until the spend is on disk.
          save: (all) => void (all.length > 0 ? storage.put(LEASES, all) : storage.delete(LEASES)),
          later: (ms, work) => state.waitUntil(scheduler.wait(ms).then(work)),
          wakeAt,
          ledger,
          recall: (others) =>
            recallLeases(others, {
              limiterOf: (id) => (id === gate ? this.#leases : limiterOf(bindings.KEY_GATE, id)),
              settle: ledger(newQueueEntry()).settle,
            }),
        },
        leases,
      )
      let unsavedWindow: Window | null = null
      this.#limiter = new KeyLimiter(
        {
          now: () => Date.now(),
          findKey: async (digest) => {
            const keys = createKeyStore(database(newQueueEntry()))
            const key = await reported(keys.byDigest(digest))
            // At most once a minute: an active key is not read more often.
            if (key?.isActive) state.waitUntil(keys.touch(key.keyId, Date.now()).catch(() => undefined))
            return key
          },
          reserve: (charge, now, queueEntry) => this.#leases.reserve(charge, now, queueEntry),
          saveWindow: (window) => {
            if (unsavedWindow === null)
              state.waitUntil(
                scheduler.wait(SAVE_MS).then(() => {
                  // Unconfirmed: a crash loses at most the last counts, and no response waits for the disk.
                  void storage.put(WINDOW, unsavedWindow, { allowUnconfirmed: true })
                  unsavedWindow = null
                }),
              )
            unsavedWindow = window
          },
          // Confirmed: a crash must not give a day's budget back.
          saveDay: (count) => void storage.put(DAY, count),
          // Invalidation is confirmed before the change of the key is reported as done.
          saveKey: (key) => void (key ? storage.put(KEY, key, { allowUnconfirmed: true }) : storage.delete(KEY)),
          wakeAt,
          clear: async () => {
            await (this.#leases.isEmpty ? storage.deleteAll() : storage.delete([WINDOW, KEY, DAY]))
          },
        },
        { window, key, day },
      )
    })
  }

  check(digest: string): Promise<KeyState> {
    return this.#limiter.check(digest)
  }

  reserve(request: ReserveRequest): Promise<ReserveResult> {
    return this.#limiter.reserve(request)
  }

  settle(chargeId: string, credits: number): void {
    this.#leases.settle(chargeId, credits)
  }

  recall(ids: readonly string[]): Promise<boolean> {
    return this.#leases.recall(ids)
  }

  count(rate: Rate, n?: number): CountResult {
    return this.#limiter.count(rate, n)
  }

  countFormCall(call: FormCall): FormCallResult {
    return this.#limiter.countFormCall(call)
  }

  usedToday(): number {
    return this.#limiter.usedToday()
  }

  invalidate(): void {
    this.#limiter.invalidate()
    this.#leases.retire()
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null
    await this.#leases.wake()
    await this.#limiter.wake()
  }
}

/** An outage costs one line a minute for each cause, not one for each call. */
const logged = new Memo<true>({ capacity: 20, ttlMs: 60_000 })

/** @returns a function that logs why a call to the database failed, at most once a minute per isolate and cause */
export function storeFailureLog(log: Log, { now }: Pick<Clock, "now">): (error: unknown) => void {
  return function report(error) {
    const { message } = rootCause(error)
    if (logged.get(message, now())) return
    logged.set(message, true, now())
    log("unavailable", { detail: "a rate limiter cannot use the database", cause: message })
  }
}
