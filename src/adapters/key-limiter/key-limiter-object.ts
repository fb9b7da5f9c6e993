import { DurableObject } from "cloudflare:workers"
import type { Rate, Window } from "../../domain/accounts/window.ts"
import type { Bindings } from "../../env.ts"
import { outboundOf, unreachableLog } from "../outbound.ts"
import { jsonLog, systemClock } from "../platform.ts"
import { createChargeStore } from "../store/accounts/charges.ts"
import { createKeyStore } from "../store/accounts/keys.ts"
import { openDatabase } from "../store/database.ts"
import { storeFailureLog } from "../store/failure-log.ts"
import type { Turn } from "../store/turn.ts"
import {
  type CountResult,
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
}

const WINDOW = "window"
const KEY = "key"

/** The Durable Object of a rate limiter: one for each key, account or anonymous network, named by a keyed hash. */
export class KeyLimiterObject extends DurableObject<LimiterBindings> {
  #limiter!: KeyLimiter

  constructor(state: DurableObjectState, bindings: LimiterBindings) {
    super(state, bindings)
    const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken, LIBSQL_WRITES: writes } = bindings
    const address = { url, authToken, writes: writes ? Number(writes) : undefined }
    const fetch = outboundOf(bindings, unreachableLog(jsonLog({}), systemClock))
    const database = (turn: Turn) => openDatabase(address, { fetch, turn: () => turn })
    // Callers learn only that the store is unavailable, so the reason is logged here.
    const report = storeFailureLog(jsonLog({}), systemClock)
    const reported = <T>(work: Promise<T>): Promise<T> => {
      work.catch(report)
      return work
    }
    state.blockConcurrencyWhile(async () => {
      const [window = [], key = null] = await Promise.all([
        state.storage.get<Window>(WINDOW),
        state.storage.get<StoredKey>(KEY),
      ])
      this.#limiter = new KeyLimiter(
        {
          now: () => Date.now(),
          findKey: async (digest) => {
            const queue = state.id.toString()
            const keys = createKeyStore(database({ queue, since: Date.now(), deadlineAt: 0 }))
            const key = await reported(keys.byDigest(digest))
            // At most once a minute: an active key is not read more often.
            if (key?.isActive) state.waitUntil(keys.touch(key.keyId, Date.now()).catch(() => undefined))
            return key
          },
          reserve: (charge, now, turn) => reported(createChargeStore(database(turn)).reserve(charge, now)),
          // Unconfirmed: a crash loses at most the last counts, and no response waits for the disk.
          saveWindow: (window) => void state.storage.put(WINDOW, window, { allowUnconfirmed: true }),
          // Invalidation is confirmed before the change of the key is reported as done.
          saveKey: (key) =>
            void (key ? state.storage.put(KEY, key, { allowUnconfirmed: true }) : state.storage.delete(KEY)),
          wakeAt: (at) => void state.storage.setAlarm(at, { allowUnconfirmed: true }),
          clear: () => state.storage.deleteAll(),
        },
        { window, key },
      )
    })
  }

  check(digest: string): Promise<KeyState> {
    return this.#limiter.check(digest)
  }

  reserve(take: ReserveRequest): Promise<ReserveResult> {
    return this.#limiter.reserve(take)
  }

  count(rate: Rate, n?: number): CountResult {
    return this.#limiter.count(rate, n)
  }

  invalidate(): void {
    this.#limiter.invalidate()
  }

  override alarm(): Promise<void> {
    return this.#limiter.wake()
  }
}
