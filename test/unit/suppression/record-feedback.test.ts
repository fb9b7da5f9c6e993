import { sql } from "drizzle-orm"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FEEDBACK_KINDS, type FeedbackKind } from "../../../schema/vocabulary.ts"
import type { Fact } from "../../../src/domain/suppression/feedback.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { fact, feedbackAccount, HOUR_MS, START } from "../../support/deps/feedback-account.ts"
import { startDatabase } from "../../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const account = () => feedbackAccount(database.open())

describe("the same fact", () => {
  test.each<[string, Partial<Fact>, Partial<Fact>, number, boolean]>([
    ["twice on a day", {}, {}, 0, true],
    ["on the next day", {}, {}, 24 * HOUR_MS, false],
    ["with another code", { code: "550" }, { code: "552" }, 0, false],
    ["from another source", { source: "a" }, { source: "b" }, 0, false],
    ["of another time", { at: START - 5 }, { at: START - 6 }, 0, false],
    ["of the same time, reported a week later", { at: START - 5 }, { at: START - 5 }, 168 * HOUR_MS, true],
    ["by its id, reported a week later", { id: "x" }, { id: "x" }, 168 * HOUR_MS, true],
    ["by its id, with another code", { id: "x", code: "1" }, { id: "x", code: "2" }, 0, true],
    ["of another id", { id: "x" }, { id: "y" }, 0, false],
    ["of the same id at another provider", { id: "x", source: "a" }, { id: "x", source: "b" }, 0, false],
  ])("%s", async (_, first, second, later, isKnown) => {
    const { record, turn } = await account()
    expect(await record([fact("a@same.test", "soft_bounce", first)])).toEqual({ fresh: 1, known: 0, judged: [null] })
    turn(later)
    expect((await record([fact("A@same.test", "soft_bounce", second)])).known).toBe(isKnown ? 1 : 0)
  })

  test("of another kind, address or account is a different fact", async () => {
    const [one, other] = [await account(), await account()]
    const id = "the-same"
    await one.record([fact("a@same.test", "opened", { id })])
    expect((await one.record([fact("a@same.test", "clicked", { id })])).fresh).toBe(1)
    expect((await one.record([fact("b@same.test", "opened", { id })])).fresh).toBe(1)
    expect((await other.record([fact("a@same.test", "opened", { id })])).fresh).toBe(1)
  })
})

test("repeated, grouped and concurrent reports of a fact count once in every counter", async () => {
  const facts = fc.record({
    email: fc.constantFrom("a@one.test", "b@one.test", "c@two.test"),
    kind: fc.constantFrom(...FEEDBACK_KINDS),
    id: fc.constantFrom("1", "2", "3"),
  })
  const reports = fc.array(fc.array(facts, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(reports, async (batches) => {
      const { ctx, accountId, record, opened } = await account()
      const made = batches.map((batch) => batch.map(({ email, kind, id }) => fact(email, kind, { id, at: START })))
      const answers = await Promise.all([...made, ...made].map((batch) => record(batch, "provider")))
      const distinct = new Map(made.flat().map((one) => [`${one.address.normalized} ${one.kind} ${one.id}`, one]))
      const expected = (kind: FeedbackKind) => [...distinct.values()].filter((one) => one.kind === kind).length
      expect(answers.reduce((sum, { fresh }) => sum + fresh, 0)).toBe(distinct.size)
      const counts = new Map((await ctx.store.feedback.counts(accountId)).map(({ kind, count }) => [kind, count]))
      for (const kind of FEEDBACK_KINDS) expect(counts.get(kind) ?? 0, kind).toBe(expected(kind))
      const domains = await ctx.store.feedback.ofDomains(accountId, ["one.test", "two.test"])
      expect(domains.reduce((sum, one) => sum + one.count, 0)).toBe(distinct.size)
      const sums = await opened.all<{ n: number }>(
        sql`SELECT sum(soft_bounces) AS n FROM address_feedback WHERE account_id = ${accountId}`,
      )
      expect(sums[0]?.n).toBe(expected("soft_bounce"))
    }),
    { numRuns: 25 },
  )
})

describe("mail that was received", () => {
  test("counts until the address hard bounces, and again for mail received later", async () => {
    const { record, accountFlags, turn } = await account()
    const received = async () => (await accountFlags("a@life.test")).isReceived
    await record([fact("a@life.test", "received")])
    expect(await received()).toBe(true)
    turn(HOUR_MS)
    await record([fact("a@life.test", "soft_bounce")])
    expect(await received()).toBe(true)
    await record([fact("a@life.test", "hard_bounce")])
    expect(await received()).toBe(false)
    await record([fact("a@life.test", "received", { at: START - 1 })])
    expect(await received()).toBe(false)
    turn(HOUR_MS)
    await record([fact("a@life.test", "received", { at: START + 2 * HOUR_MS })])
    expect(await received()).toBe(true)
  })

  test.each<[string, FeedbackKind[], boolean]>([
    ["received last", ["received", "hard_bounce", "received"], true],
    ["bounced last", ["hard_bounce", "received", "hard_bounce"], false],
  ])("of repeated reports on one day the caller's last one decides: %s", async (_, kinds, isReceived) => {
    const { ctx, accountId, record, accountFlags, turn } = await account()
    for (const kind of kinds) {
      await record([fact("a@again.test", kind)])
      turn(HOUR_MS)
    }
    expect((await accountFlags("a@again.test")).isReceived).toBe(isReceived)
    const counts = await ctx.store.feedback.counts(accountId)
    expect(counts.map(({ kind, count }) => [kind, count]).toSorted()).toEqual([
      ["hard_bounce", 1],
      ["received", 1],
    ])
  })

  test("does not count when a provider repeats it after the bounce", async () => {
    const { record, accountFlags, turn } = await account()
    const report = (kind: FeedbackKind) => record([fact("a@again.test", kind, { id: kind })], "provider")
    for (const kind of ["received", "hard_bounce", "received"] as const) {
      await report(kind)
      turn(HOUR_MS)
    }
    expect((await accountFlags("a@again.test")).isReceived).toBe(false)
  })

  test("does not affect other accounts", async () => {
    const [liar, victim] = [await account(), await account()]
    await liar.record([fact("a@poison.test", "received"), fact("b@poison.test", "hard_bounce")])
    for (const email of ["a@poison.test", "b@poison.test"])
      expect(await victim.accountFlags(email)).toEqual(NO_ACCOUNT_FLAGS)
  })
})

test("a soft bounce repeated by the caller updates its time, and counts once", async () => {
  const { record, turn, accountId, opened } = await account()
  await record([fact("a@soft.test", "soft_bounce"), fact("a@soft.test", "soft_bounce")])
  turn(HOUR_MS)
  await record([fact("a@soft.test", "soft_bounce"), fact("b@soft.test", "delivered")])
  const rows = await opened.all(sql`SELECT soft_bounced_at AS at, soft_bounces AS n FROM address_feedback
    WHERE account_id = ${accountId} ORDER BY n`)
  expect(rows).toEqual([
    { at: null, n: 0 },
    { at: START + HOUR_MS, n: 1 },
  ])
})

describe("suppression by kind", () => {
  test.each<[FeedbackKind, string | null, string | null]>([
    ["hard_bounce", "hard_bounce", "hard_bounce"],
    ["soft_bounce", null, null],
    ["spam_complaint", null, "spam_complaint"],
    ["unsubscribe", null, "unsubscribe"],
    ["delivered", null, null],
    ["opened", null, null],
  ])("%s: %s from the caller, %s from a provider", async (kind, byCaller, byProvider) => {
    for (const [origin, reason] of [
      ["caller", byCaller],
      ["provider", byProvider],
    ] as const) {
      const { ctx, accountId, record } = await account()
      await record([fact("a@listed.test", kind)], origin)
      const page = await ctx.store.suppressions.page(accountId, "", { now: START, limit: 10 })
      expect(page.map((entry) => entry.reason)).toEqual(reason === null ? [] : [reason])
    }
  })
})

test("the code of a bounce is stored without its address, because it is stored for a year", async () => {
  const { record, opened, accountId } = await account()
  await record([fact("who@coded.test", "soft_bounce", { code: "550 5.1.1 <Who@coded.test>: unknown" })])
  const rows = await opened.all(sql`SELECT code FROM feedback WHERE account_id = ${accountId}`)
  expect(rows).toEqual([{ code: "550 5.1.1 … unknown" }])
})

test("a provider's time in the future or before all dates is ignored", async () => {
  const { record, accountId, opened } = await account()
  // The account knows the secret, so it can sign any time. A stored invalid time would make the row unreadable.
  await record([fact("c@clock.test", "hard_bounce", { at: -9e18, id: "3" })])
  await record([fact("a@clock.test", "received", { at: START + 24 * HOUR_MS, id: "1" })])
  await record([fact("b@clock.test", "received", { at: START + 60_000, id: "2" })])
  const rows = await opened.all<{ at: number }>(
    sql`SELECT at FROM feedback WHERE account_id = ${accountId} ORDER BY at`,
  )
  expect(rows.map(({ at }) => at)).toEqual([START, START, START + 60_000])
})
