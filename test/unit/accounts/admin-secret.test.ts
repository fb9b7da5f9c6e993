import { expect, test } from "vitest"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { LIMIT_TABLES } from "../../../src/domain/accounts/tiers.ts"
import { type Credentials, identify } from "../../../src/services/accounts/identify.ts"
import { testContext } from "../../support/deps/context.ts"

const SECRET = "the operator's secret of the tests"
const digests = await createDigests(["p".repeat(32)])

function show(given: string, adminSecret: string | null) {
  const limiter = { count: async () => ({ accepted: true }) as const }
  const unused = () => {
    throw new Error("only the admin secret is used")
  }
  const keyLimiters = { ofAction: () => limiter as never, ofKey: unused, ofSubject: unused }
  const limits = { table: LIMIT_TABLES.tiers, anonymous: { perMinute: 1, perMonth: 1 } }
  const ctx = testContext({
    digests,
    keyLimiters,
    store: { sessions: {} as never },
    config: { adminSecret, limits },
  })
  const none = { apiKey: undefined, sessionToken: undefined, clientIp: undefined } satisfies Partial<Credentials>
  return identify(ctx, { ...none, adminSecret: given })
}

test("a caller with the configured secret is the operator", async () => {
  expect(await show(SECRET, SECRET)).toEqual({ kind: "admin" })
})

test.each([SECRET, "", "null", "undefined"])("without a configured secret %j gives no access", async (given) => {
  await expect(show(given, null)).rejects.toMatchObject({ code: "admin_required" })
})
