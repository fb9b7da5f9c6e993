import { PRIOR_MODELS, setActiveClassifier } from "../../domain/learning/model.ts"
import { listsWith, setActiveLists } from "../../domain/reference/active-lists.ts"
import type { Platform } from "../platform.ts"
import type { Stores } from "../store/stores.ts"

/** Refreshes the active lists and the active catch-all classifier from the database. One memory for each isolate. */
export type ActiveRules = ReturnType<typeof createActiveRules>

const FRESH_MS = 60_000
/** From this age on the rules are checked in the background, so that few requests wait. */
const DUE_MS = 30_000
/** The longest wait of a request for the check. After it the request uses the earlier rules. */
const WAIT_MS = 250
/** Pause after a failed check. */
const PAUSE_MS = 5_000

/** What an isolate knows of its rules. Plain values may outlive a request. Times are Unix milliseconds. */
export interface ActiveRulesMemory {
  /** The version of the active lists. */
  version: number
  checkedAt: number
  refreshStartedAt: number
}

export function newActiveRulesMemory(): ActiveRulesMemory {
  return { version: 0, checkedAt: Number.NEGATIVE_INFINITY, refreshStartedAt: Number.NEGATIVE_INFINITY }
}

const ofIsolate = newActiveRulesMemory()

/** @param store opened only when a check is due */
export function createActiveRules(
  store: () => Pick<Stores, "listOverrides" | "models">,
  { clock, log, background }: Pick<Platform, "clock" | "log" | "background">,
  memory = ofIsolate,
) {
  async function refresh(): Promise<void> {
    const { listOverrides, models } = store()
    const [latest, classifier] = await Promise.all([listOverrides.version(), models.activeWithReport("catch_all")])
    setActiveClassifier(classifier?.model ?? PRIOR_MODELS.catch_all)
    if (latest !== memory.version) {
      setActiveLists(listsWith(await listOverrides.all()))
      memory.version = latest
    }
    memory.checkedAt = clock.now()
  }

  async function tryRefresh(): Promise<void> {
    memory.refreshStartedAt = clock.now()
    await refresh().catch((error: Error) => log("rules_not_read", { error: error.message }))
  }

  return {
    /** Returns null while the rules are fresh. Checks them once a minute and loads changes. Never rejects. */
    refreshIfDue(): Promise<void> | null {
      const now = clock.now()
      const age = now - memory.checkedAt
      if (age < DUE_MS || now - memory.refreshStartedAt < PAUSE_MS) return null
      const refreshing = tryRefresh()
      background(refreshing)
      return age < FRESH_MS ? null : Promise.race([refreshing, clock.sleep(WAIT_MS)])
    },

    /** Loads the rules now, after a change in this isolate. */
    reload: refresh,
  }
}
