import { setActiveLists } from "../../domain/lists/active-lists.ts"
import { listsWith } from "../../domain/lists/overrides.ts"
import type { Clock, Log } from "../platform.ts"
import type { ListOverrideStore } from "../store/list-overrides.ts"

/** Refreshes the active lists from the database. One memory for each isolate. */
export interface CurrentLists {
  /** Returns null while the lists are fresh. Checks the version once a minute and loads changes. Never rejects. */
  refreshIfDue(): Promise<void> | null
  /** Loads the lists now, after a change in this isolate. */
  reload(): Promise<void>
}

interface CurrentListsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
}

const FRESH_MS = 60_000
/** From this age on the lists are checked in the background, so that few requests wait. */
const DUE_MS = 30_000
/** The longest wait of a request for the check; then it uses the lists it has. */
const WAIT_MS = 250
/** Pause after a failed check. */
const PAUSE_MS = 5_000

/** Plain values, which may outlive a request: the active version and the time of its last check, Unix ms. */
let version = 0
let checkedAt = Number.NEGATIVE_INFINITY
let refreshStartedAt = Number.NEGATIVE_INFINITY

/** @param store opened only when a check is due */
export function createCurrentLists(
  store: () => ListOverrideStore,
  { clock, log, background }: CurrentListsDeps,
): CurrentLists {
  async function refresh(): Promise<void> {
    const overrides = store()
    const latest = await overrides.version()
    if (latest !== version) {
      setActiveLists(listsWith(await overrides.all()))
      version = latest
    }
    checkedAt = clock.now()
  }

  async function tryRefresh(): Promise<void> {
    refreshStartedAt = clock.now()
    await refresh().catch((error: Error) => log("lists_not_read", { error: error.message }))
  }

  return {
    refreshIfDue() {
      const now = clock.now()
      const age = now - checkedAt
      if (age < DUE_MS || now - refreshStartedAt < PAUSE_MS) return null
      const refreshing = tryRefresh()
      background(refreshing)
      return age < FRESH_MS ? null : Promise.race([refreshing, clock.sleep(WAIT_MS)])
    },

    reload: refresh,
  }
}
