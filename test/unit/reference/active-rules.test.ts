import { afterEach, expect, test } from "vitest"
import { createActiveRules, newActiveRulesMemory } from "../../../src/adapters/reference/active-rules.ts"
import { activeClassifier, PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"

const trained = (version: number) => ({ ...PRIOR_MODELS.catch_all, version, trainedAt: 1 })

afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

test("another classifier is active 30 s after the last check at the latest, and stays while the database is down", async () => {
  let now = 10_000_000
  let read: () => Promise<unknown> = async () => ({ model: trained(1) })
  const logged: string[] = []
  const background: Promise<unknown>[] = []
  const clock = { now: () => now, sleep: async () => undefined }
  const store = { listOverrides: { version: async () => 0 }, models: { activeWithReport: () => read() } }
  const deps = {
    ...{ clock, log: (event: string) => void logged.push(event) },
    background: (work: Promise<unknown>) => void background.push(work),
  }
  const rules = createActiveRules(() => store as never, deps, newActiveRulesMemory())
  const refresh = async () => {
    const waiting = rules.refreshIfDue()
    await Promise.all(background)
    await waiting
    return activeClassifier().version
  }
  expect(await refresh()).toBe(1)

  read = async () => ({ model: trained(2) })
  now += 29_000
  expect(await refresh()).toBe(1)
  now += 1_000
  expect(await refresh()).toBe(2)

  read = async () => Promise.reject(new Error("no answer"))
  now += 90_000
  expect(await refresh()).toBe(2)
  expect(logged).toEqual(["rules_not_read"])

  read = async () => null
  await rules.reload()
  expect(activeClassifier()).toBe(PRIOR_MODELS.catch_all)
})
