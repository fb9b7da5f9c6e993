import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import type { Fact } from "../../../src/domain/suppression/feedback.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { unsuppress } from "../../../src/services/suppression/suppression-list.ts"
import { fact, feedbackAccount, HOUR_MS, START } from "../../support/deps/feedback-account.ts"
import { startDatabase } from "../../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const account = () => feedbackAccount(database.open())

describe("a hard bounce that says that the mailbox does not exist", () => {
  type Step = readonly [kind: FeedbackKind, more?: Partial<Fact>]
  const MAY_EXIST = { mailboxMayExist: true } as const

  test.each<[string, Step[], boolean]>([
    ["alone", [["hard_bounce"]], true],
    ["about the sender or a full mailbox", [["hard_bounce", MAY_EXIST]], false],
    ["soft", [["soft_bounce"]], false],
    ["before another about a full mailbox", [["hard_bounce"], ["hard_bounce", MAY_EXIST]], true],
    ...(["received", "delivered", "opened", "clicked", "spam_complaint", "unsubscribe"] as const).flatMap(
      (kind): [string, Step[], boolean][] => [
        [`before ${kind}`, [["hard_bounce"], [kind]], false],
        [`after ${kind}`, [[kind], ["hard_bounce"]], true],
        [`before ${kind} and repeated`, [["hard_bounce"], [kind], ["hard_bounce"]], true],
      ],
    ),
    ["before a delivery that was earlier", [["hard_bounce"], ["delivered", { at: START - 1 }]], true],
    ["before a soft bounce and a report", [["hard_bounce"], ["soft_bounce"], ["report_correct"]], true],
  ])("%s: %j, so it has bounced: %s", async (_, steps, hasBounced) => {
    const { record, accountFlags, edgeFlags, turn } = await account()
    for (const [kind, more] of steps) {
      await record([fact("a@gone.test", kind, more)])
      turn(HOUR_MS)
    }
    expect(await accountFlags("a@gone.test")).toMatchObject({ hasBounced })
    expect(await edgeFlags("a@gone.test")).toMatchObject({ hasBounced })
  })

  test("in one call with a later sign of life is taken back, in any order", async () => {
    const { record, accountFlags } = await account()
    await record([
      fact("a@gone.test", "opened", { at: START - 1, id: "1" }),
      fact("a@gone.test", "hard_bounce", { at: START - 2, id: "2" }),
      fact("b@gone.test", "hard_bounce", { at: START - 1, id: "3" }),
      fact("b@gone.test", "opened", { at: START - 2, id: "4" }),
    ])
    expect(await accountFlags("a@gone.test")).toMatchObject({ hasBounced: false })
    expect(await accountFlags("b@gone.test")).toMatchObject({ hasBounced: true })
  })

  test("is not repeated by a provider after the address was removed from the list", async () => {
    const { ctx, accountId, record, accountFlags, edgeFlags } = await account()
    const reported = [fact("a@gone.test", "hard_bounce", { id: "1" })]
    await record(reported, "provider")
    expect(await accountFlags("a@gone.test")).toMatchObject({ hasBounced: true, isSuppressed: true })
    await unsuppress(ctx, accountId, { address: parseAddress("a@gone.test") as ValidAddress })
    await record(reported, "provider")
    expect(await accountFlags("a@gone.test")).toEqual(NO_ACCOUNT_FLAGS)
    expect(await edgeFlags("a@gone.test")).toEqual(NO_ACCOUNT_FLAGS)
  })

  test("does not affect other accounts, nor does a complaint", async () => {
    const [one, other] = [await account(), await account()]
    await one.record([fact("a@gone.test", "hard_bounce"), fact("b@gone.test", "spam_complaint")])
    expect(await one.accountFlags("b@gone.test")).toEqual({ ...NO_ACCOUNT_FLAGS, hasComplained: true })
    for (const email of ["a@gone.test", "b@gone.test"]) {
      expect(await other.accountFlags(email)).toEqual(NO_ACCOUNT_FLAGS)
      expect(await other.edgeFlags(email)).toEqual(NO_ACCOUNT_FLAGS)
    }
  })

  test("costs a write at the edge when a delivery takes it back, and no further one", async () => {
    const { ctx, record, turn } = await account()
    const written: string[] = []
    const flags = {
      ...ctx.flags,
      put: async (...given: Parameters<typeof ctx.flags.put>) => void written.push(given[1]),
    }
    Object.assign(ctx, { flags })
    await record([fact("a@gone.test", "hard_bounce")])
    for (const kind of ["delivered", "opened", "clicked"] as const) {
      turn(HOUR_MS)
      await record([fact("a@gone.test", kind)])
    }
    expect(written).toHaveLength(2)
  })
})

test("a complaint is taken back with the removal from the list", async () => {
  const { ctx, accountId, record, accountFlags } = await account()
  await record([fact("a@spam.test", "spam_complaint")])
  await unsuppress(ctx, accountId, { address: parseAddress("a@spam.test") as ValidAddress })
  expect(await accountFlags("a@spam.test")).toEqual(NO_ACCOUNT_FLAGS)
})
