import { expect, test } from "vitest"
import type { SyncState } from "../../../schema/vocabulary.ts"
import type { IntegrationHealth, WroteNothing } from "../../../src/domain/integrations/health.ts"
import { type Activity, healthOf, wroteNothing } from "../../../src/domain/integrations/health.ts"

const COUNTS = { contacts: 4, written: 4, undecided: 0, rejected: 0 }
const sync = (state: SyncState, counts: Partial<typeof COUNTS> = {}) => ({ state, ...COUNTS, ...counts })

test.each<[string, SyncState, Partial<typeof COUNTS>, WroteNothing | null]>([
  ["some written", "complete", { written: 1, rejected: 3 }, null],
  ["not complete", "running", { contacts: 0, written: 0 }, null],
  ["stopped", "failed", { contacts: 0, written: 0 }, null],
  ["no contacts", "complete", { contacts: 0, written: 0 }, "no_contacts"],
  ["all undecided", "complete", { written: 0, undecided: 4 }, "all_undecided"],
  ["all rejected", "complete", { written: 0, rejected: 4 }, "all_rejected"],
  ["some of both", "complete", { written: 0, undecided: 1, rejected: 3 }, "undecided_and_rejected"],
])("a sync with %s", (_, state, counts, expected) => {
  expect(wroteNothing(sync(state, counts))).toBe(expected)
})

const IDLE: Activity = { sync: null, recent: { succeeded: 0, failed: 0 }, lastAnswerAt: null, lastFailureAt: null }
const WORKED = { lastAnswerAt: 1 }

test.each<[string, Partial<Activity>, IntegrationHealth]>([
  ["without any event", {}, "idle"],
  ["with a sync that has not begun", { sync: sync("queued") }, "working"],
  ["that never answered", { lastFailureAt: 1 }, "failing"],
  ["that never answered its waiting sync", { lastFailureAt: 1, sync: sync("waiting") }, "failing"],
  ["that never answered its stopped sync", { lastFailureAt: 1, sync: sync("failed") }, "failing"],
  ["whose sync waits", { ...WORKED, lastFailureAt: 2, sync: sync("waiting") }, "working"],
  ["whose sync stopped", { ...WORKED, lastFailureAt: 2, sync: sync("failed") }, "needs_attention"],
  ["without credits", { ...WORKED, sync: sync("out_of_credits") }, "needs_attention"],
  ["that rejected every result", { ...WORKED, sync: sync("complete", { written: 0, rejected: 4 }) }, "needs_attention"],
  ["with failures only today", { ...WORKED, recent: { succeeded: 0, failed: 2 } }, "needs_attention"],
  ["with a success today", { ...WORKED, recent: { succeeded: 1, failed: 2 } }, "ok"],
  ["with a success long ago", WORKED, "idle"],
])("an integration %s", (_, activity, health) => {
  expect(healthOf({ ...IDLE, ...activity })).toBe(health)
})
