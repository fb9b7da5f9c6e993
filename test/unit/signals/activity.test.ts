import fc from "fast-check"
import { expect, test } from "vitest"
import { type ActivityEvidence, assessActivity } from "../../../src/domain/signals/mailbox-activity.ts"

const DAY = 86_400_000
const NOW = 1_000 * DAY
const NOTHING: ActivityEvidence = {
  ...{ hasGravatar: null, verified: null, arrivedAt: null, bouncedAt: null, isDisposable: false },
}

test("the points of the listed signals add up to the score, and every signal is listed once", () => {
  const time = fc.option(fc.integer({ min: 0, max: 1_000 }).map((days) => days * DAY))
  const status = fc.constantFrom("valid", "invalid", "accept_all", "unknown")
  const evidence = fc.record({
    hasGravatar: fc.option(fc.boolean()),
    verified: fc.option(fc.record({ status, at: fc.integer({ min: 0, max: NOW }) })),
    arrivedAt: time,
    bouncedAt: time,
    isDisposable: fc.boolean(),
  })
  fc.assert(
    fc.property(evidence, (found) => {
      const { score, signals } = assessActivity(found, NOW)
      expect(signals.reduce((sum, { points }) => sum + points, 0)).toBe(score ?? 0)
      expect(signals.filter(({ signal }) => signal !== "limit").map(({ signal }) => signal)).toEqual([
        ...["base", "gravatar", "verification", "mail_arrived", "mail_bounced", "disposable"],
      ])
      for (const { missing, points } of signals) expect(missing === null || points === 0).toBe(true)
    }),
  )
})

test.each([
  ["nothing", NOTHING, { score: null, level: "unknown" }],
  ["no Gravatar", { ...NOTHING, hasGravatar: false }, { score: null, level: "unknown" }],
  ["a Gravatar", { ...NOTHING, hasGravatar: true }, { score: 55, level: "likely" }],
  ["a valid mailbox", { ...NOTHING, verified: { status: "valid", at: NOW } }, { score: 55, level: "likely" }],
  ["mail that bounced", { ...NOTHING, bouncedAt: NOW }, { score: 0, level: "inactive" }],
])("with %s known", (_, evidence, expected) => {
  expect(assessActivity(evidence, NOW)).toMatchObject(expected)
})

test("what is missing has a reason, and a limit is listed", () => {
  const { signals } = assessActivity({ ...NOTHING, bouncedAt: NOW }, NOW)
  expect(signals.map(({ signal, points, missing }) => [signal, points, missing])).toEqual([
    ["base", 30, null],
    ["gravatar", 0, "no_answer"],
    ["verification", 0, "not_verified"],
    ["mail_arrived", 0, "not_reported"],
    ["mail_bounced", -60, null],
    ["disposable", 0, "not_applicable"],
    ["limit", 30, null],
  ])
})
