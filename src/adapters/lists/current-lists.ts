import { putInForce } from "../../domain/lists/in-force.ts"
import { listsWith } from "../../domain/lists/overrides.ts"
import type { Clock, Log } from "../platform.ts"
import type { ListOverrideStore } from "../store/list-overrides.ts"

/** Keeps the lists in force what the database says they are. One memory for each isolate. */
export interface CurrentLists {
  /** Returns at once while they are fresh; once a minute it looks at the version, and reads what has changed. Never rejects. */
  keep(): Promise<void> | null
  /** Reads them again now: this isolate has just changed them. */
  reload(): Promise<void>
}

interface Needs {
  readonly clock: Clock
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
}

const FRESH_MS = 60_000
/** From this age on they are looked after behind a request, so that hardly any has to wait. */
const DUE_MS = 30_000
/** The longest a request waits for the look; then it goes on with what is known. */
const WAIT_MS = 250
/** A failed look is not repeated before. */
const PAUSE_MS = 5_000

/** Plain values, which may outlive a request: which version is in force, and when that was looked at, Unix ms. */
let version = 0
let checkedAt = Number.NEGATIVE_INFINITY
let lookingSince = Number.NEGATIVE_INFINITY

/** @param store is opened only when there is something to look at */
export function createCurrentLists(store: () => ListOverrideStore, { clock, log, background }: Needs): CurrentLists {
  async function look(): Promise<void> {
    const overrides = store()
    const latest = await overrides.version()
    if (latest !== version) {
      putInForce(listsWith(await overrides.all()))
      version = latest
    }
    checkedAt = clock.now()
  }

  async function tryLook(): Promise<void> {
    lookingSince = clock.now()
    await look().catch((error: Error) => log("lists_not_read", { error: error.message }))
  }

  return {
    keep() {
      const now = clock.now()
      const age = now - checkedAt
      if (age < DUE_MS || now - lookingSince < PAUSE_MS) return null
      const looking = tryLook()
      background(looking)
      return age < FRESH_MS ? null : Promise.race([looking, clock.sleep(WAIT_MS)])
    },

    reload: look,
  }
}
