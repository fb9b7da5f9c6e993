import { sql } from "drizzle-orm"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FEEDBACK_KINDS, type FeedbackKind, type Status, type VerdictOutcome } from "../../../schema/vocabulary.ts"
import { adoptAccount } from "../../../src/adapters/store/accounts/unclaimed-accounts.ts"
import { createFeedbackStore, type FeedbackRow } from "../../../src/adapters/store/suppression/feedback.ts"
import { accuracyOf, outcomeOf } from "../../../src/domain/suppression/feedback.ts"
import { startDatabase } from "../../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

interface Given {
  readonly kind: FeedbackKind
  readonly at: number
  readonly hash?: string
  readonly status?: Status | null
  readonly verifiedAt?: number
  readonly id?: string
}

let accounts = 0
function account(accountId = `acc_outcomes_${accounts++}`) {
  const opened = database.open()
  const store = createFeedbackStore(opened)
  const rowOf = ({
    kind,
    at,
    hash = "h1",
    status = "valid",
    verifiedAt = 1,
    id = `${kind} ${at}`,
  }: Given): FeedbackRow => ({
    eventKey: `${accountId} ${hash} ${id}`,
    addressHash: hash,
    address: "a@judged.test",
    domain: "judged.test",
    ...{ kind, at, source: "api", code: null, snapshot: null },
    verifiedAt: status && verifiedAt,
    predictedStatus: status,
    predictedScore: null,
    outcome: status && outcomeOf({ kind }, status),
    isMailboxMissing: false,
    suppressFor: null,
  })
  const record = (given: readonly Given[], appliesRepeats = true) =>
    store.record(given.map(rowOf), { accountId, batch: crypto.randomUUID(), now: 1_000, appliesRepeats })
  const outcomes = async () =>
    (await store.outcomes(accountId)).flatMap(({ status, outcome, count }) =>
      count === 0 ? [] : [`${status} ${outcome} ${count}`],
    )
  return { accountId, opened, record, outcomes }
}

describe("a verdict has one outcome", () => {
  test.each<[string, Given[], string[]]>([
    ["a delivery", [{ kind: "delivered", at: 1 }], ["valid correct 1"]],
    [
      "a delivery, an open and two clicks",
      [...(["delivered", "opened", "clicked"] as const).map((kind, at) => ({ kind, at })), { kind: "clicked", at: 9 }],
      ["valid correct 1"],
    ],
    [
      "a later bounce",
      [
        { kind: "delivered", at: 1 },
        { kind: "hard_bounce", at: 2 },
      ],
      ["valid incorrect 1"],
    ],
    [
      "an earlier bounce, reported later",
      [
        { kind: "delivered", at: 2 },
        { kind: "hard_bounce", at: 1 },
      ],
      ["valid correct 1"],
    ],
    [
      "a soft bounce after a delivery",
      [
        { kind: "delivered", at: 1 },
        { kind: "soft_bounce", at: 2 },
      ],
      ["valid correct 1"],
    ],
    [
      "a delivery before a soft bounce",
      [
        { kind: "soft_bounce", at: 2 },
        { kind: "delivered", at: 1 },
      ],
      ["valid correct 1"],
    ],
    ["a soft bounce only", [{ kind: "soft_bounce", at: 1 }], ["valid undecided 1"]],
    ["no verdict", [{ kind: "delivered", at: 1, status: null }], []],
    [
      "a report after a bounce of an accept_all address",
      [
        { kind: "hard_bounce", at: 1, status: "accept_all" },
        { kind: "report_correct", at: 2, status: "accept_all" },
      ],
      ["accept_all correct 1"],
    ],
    [
      "a newer verdict, which has its own outcome",
      [
        { kind: "delivered", at: 1 },
        { kind: "hard_bounce", at: 2, status: "invalid", verifiedAt: 2 },
      ],
      ["invalid correct 1", "valid correct 1"],
    ],
    [
      "an older verdict after the newer one",
      [
        { kind: "delivered", at: 1, verifiedAt: 2 },
        { kind: "hard_bounce", at: 2, verifiedAt: 1 },
      ],
      ["valid correct 1"],
    ],
  ])("%s", async (_, steps, expected) => {
    const [one, grouped] = [account(), account()]
    for (const step of steps) await one.record([step])
    expect(await one.outcomes()).toEqual(expected)
    if (new Set(steps.map(({ verifiedAt }) => verifiedAt)).size > 1) return
    await grouped.record(steps)
    expect(await grouped.outcomes()).toEqual(expected)
  })

  test("a caller's repeated report decides again, a provider's does not", async () => {
    const steps: Given[] = [
      { kind: "delivered", at: 1, id: "d" },
      { kind: "hard_bounce", at: 2, id: "b" },
      { kind: "delivered", at: 3, id: "d" },
    ]
    for (const [appliesRepeats, expected] of [
      [true, "valid correct 1"],
      [false, "valid incorrect 1"],
    ] as const) {
      const { record, outcomes } = account()
      for (const step of steps) await record([step], appliesRepeats)
      expect(await outcomes()).toEqual([expected])
    }
  })

  test("also when reports of many addresses arrive at once, in groups and twice", async () => {
    const given = fc.record({
      hash: fc.constantFrom("h1", "h2", "h3"),
      kind: fc.constantFrom(...FEEDBACK_KINDS),
      at: fc.integer({ min: 1, max: 10_000 }),
    })
    const distinct = { minLength: 1, maxLength: 24, selector: ({ at }: { at: number }) => at }
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(given, distinct), fc.integer({ min: 1, max: 6 }), async (all, size) => {
        const { record, outcomes } = account()
        const groups = Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
          all.slice(n * size, n * size + size),
        )
        await Promise.all([...groups, ...groups].map((group) => record(group)))
        const counts: Partial<Record<VerdictOutcome, number>> = {}
        for (const facts of Map.groupBy(all, ({ hash }) => hash).values()) {
          const read = facts.toSorted((a, b) => b.at - a.at).map((one) => outcomeOf(one, "valid"))
          const outcome = read.find((one) => one !== "undecided") ?? "undecided"
          counts[outcome] = (counts[outcome] ?? 0) + 1
        }
        const expected = Object.entries(counts).map(([outcome, count]) => `valid ${outcome} ${count}`)
        expect(await outcomes()).toEqual(expected.toSorted())
      }),
      { numRuns: 25 },
    )
  })

  test("and an adopted account's verdicts are added, then replaced by later reports", async () => {
    const [from, to] = [account(), account()]
    for (const { accountId } of [from, to])
      await to.opened.run(sql`INSERT INTO accounts (account_id, tier, created_at) VALUES (${accountId}, 'free', 0)`)
    await from.record([{ kind: "delivered", at: 1 }])
    await to.record([{ kind: "hard_bounce", at: 1, hash: "h2" }])
    await adoptAccount(to.opened, { from: from.accountId, to: to.accountId, now: 2_000 })
    expect(await to.outcomes()).toEqual(["valid correct 1", "valid incorrect 1"])
    await to.record([{ kind: "hard_bounce", at: 5 }])
    expect(await to.outcomes()).toEqual(["valid incorrect 2"])
  })
})

test.each([
  [29, 0, null],
  [27, 3, 0.9],
  [30, 0, 1],
  [0, 30, 0],
])("%i correct and %i incorrect verdicts have the accuracy %s", (correct, incorrect, accuracy) => {
  const found = accuracyOf([
    { status: "valid", outcome: "correct", count: correct },
    { status: "valid", outcome: "incorrect", count: incorrect },
    { status: "valid", outcome: "undecided", count: 100 },
  ])
  const sums = { decided: correct + incorrect, samples: correct + incorrect + 100, undecided: 100, accuracy }
  expect(found).toMatchObject({
    ...sums,
    byStatus: expect.arrayContaining([expect.objectContaining({ status: "valid", ...sums })]),
  })
})

test("a bounce about the sender or a full mailbox decides nothing", () => {
  expect(outcomeOf({ kind: "hard_bounce", mailboxMayExist: true }, "valid")).toBe("undecided")
  expect(outcomeOf({ kind: "hard_bounce", mailboxMayExist: true }, "invalid")).toBe("undecided")
})
