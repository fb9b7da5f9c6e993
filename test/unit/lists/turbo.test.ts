import { afterEach, expect, test } from "vitest"
import { PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"
import { verifyTurbo } from "../../../src/services/lists/verify-list.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const ok = rcpt(250, "Ok")
const STORED = ["ann.smith@example.org", "bob.jones@example.com"].map((email) =>
  verificationOf(email, {
    domain: domainFacts(),
    mailbox: mailbox(ok, email.endsWith(".org") ? ok : rcpt(550, "5.1.1 no such user")),
  }),
)

/** Stored results of a catch-all and of a verified mailbox, with the scores of the time when they were verified. */
function world() {
  const read: string[] = []
  const keyed = STORED.map(({ evidence, ...rest }) => ({
    key: evidence.address.ok ? evidence.address.normalized : "",
    evidence,
    ...rest,
  }))
  const ctx = testContext({
    clock: { now: () => NOW },
    store: {
      suppressions: { haveFlags: async () => false },
      resultLists: {
        findBriefs: async () =>
          new Map(
            keyed.map(({ key, verdict, score, canSend, verifiedAt }) => [
              key,
              { status: verdict.status, score: score.total, canSend, verifiedAt },
            ]),
          ),
        findMany: async (keys: readonly string[]) => {
          read.push(...keys)
          return new Map(
            keyed
              .filter(({ key }) => keys.includes(key))
              .map(({ key, evidence, verifiedAt }) => [key, { evidence, verifiedAt, expiresAt: NOW * 2 }]),
          )
        },
      },
    },
  })
  const emails = keyed.map(({ key }) => key)
  const run = () => verifyTurbo(ctx, testMeter(), { emails, smtp: true, deduplicate: true, accountId: null })
  return { run, read }
}

afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

test("a stored accept-all result has the score of the active classifier; only its evidence is read", async () => {
  const { run, read } = world()
  const before = await run()
  expect(before.briefs.map(({ score, canSend }) => [score, canSend])).toEqual(
    STORED.map(({ score, canSend }) => [score.total, canSend]),
  )
  setActiveClassifier({ ...PRIOR_MODELS.catch_all, version: 2, bias: -3, weights: {} })
  const after = await run()
  expect(after.briefs[0]).toMatchObject({ status: "accept_all", canSend: false, cached: true })
  expect(after.briefs[0]!.score).toBeLessThan(60)
  expect(after.briefs[1]).toEqual(before.briefs[1])
  expect(new Set(read)).toEqual(new Set(["ann.smith@example.org"]))
})
