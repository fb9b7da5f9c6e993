import { DurableObject } from "cloudflare:workers"
import type { Rate, Window } from "../../domain/limits/window.ts"
import type { Bindings } from "../../env.ts"
import { outboundOf } from "../outbound.ts"
import { createChargeStore } from "../store/charges.ts"
import { openDatabase } from "../store/database.ts"
import { createKeyStore } from "../store/keys.ts"
import { type Counted, Gate, type KeptKey, type KeyState, type Take, type Taken } from "./gate.ts"

interface GateBindings extends Pick<Bindings, "OUTBOUND"> {
  readonly LIBSQL_URL: string
  readonly LIBSQL_AUTH_TOKEN?: string
}

const WINDOW = "window"
const KEY = "key"

/** The Durable Object around a Gate: one for each key, account, or anonymous network, named by a keyed hash. */
export class KeyGate extends DurableObject<GateBindings> {
  #gate!: Gate

  constructor(state: DurableObjectState, bindings: GateBindings) {
    super(state, bindings)
    const address = { url: bindings.LIBSQL_URL, authToken: bindings.LIBSQL_AUTH_TOKEN }
    const database = () => openDatabase(address, { fetch: outboundOf(bindings) })
    state.blockConcurrencyWhile(async () => {
      const [window = [], key = null] = await Promise.all([
        state.storage.get<Window>(WINDOW),
        state.storage.get<KeptKey>(KEY),
      ])
      this.#gate = new Gate(
        {
          now: () => Date.now(),
          findKey: async (digest) => {
            const keys = createKeyStore(database())
            const key = await keys.byDigest(digest)
            // Once a minute at most: a key in use is read no more often.
            if (key?.isActive) state.waitUntil(keys.touch(key.keyId, Date.now()).catch(() => undefined))
            return key
          },
          reserve: (charge, now) => createChargeStore(database()).reserve(charge, now),
          // Unconfirmed: a crash forgets the last admissions at worst, an answer never waits for the disk.
          saveWindow: (window) => void state.storage.put(WINDOW, window, { allowUnconfirmed: true }),
          // Forgetting is confirmed before whoever changed the key is told that it is done.
          saveKey: (key) =>
            void (key ? state.storage.put(KEY, key, { allowUnconfirmed: true }) : state.storage.delete(KEY)),
          wakeAt: (at) => void state.storage.setAlarm(at, { allowUnconfirmed: true }),
          clear: () => state.storage.deleteAll(),
        },
        { window, key },
      )
    })
  }

  open(digest: string): Promise<KeyState> {
    return this.#gate.open(digest)
  }

  take(take: Take): Promise<Taken> {
    return this.#gate.take(take)
  }

  count(rate: Rate, n?: number): Counted {
    return this.#gate.count(rate, n)
  }

  forget(): void {
    this.#gate.forget()
  }

  override alarm(): Promise<void> {
    return this.#gate.wake()
  }
}
