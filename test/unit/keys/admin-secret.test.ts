import { expect, test } from "vitest"
import { createDigests } from "../../../src/domain/keys/digest.ts"
import { LIMIT_TABLES } from "../../../src/domain/plans/tiers.ts"
import { type Credentials, identify } from "../../../src/services/accounts/identify.ts"

const SECRET = "the operator's secret of the tests"
const digests = await createDigests(["p".repeat(32)])

function show(given: string, adminSecret: string | null) {
  const gate = { count: async () => ({ admitted: true }) as const }
  const unused = () => {
    throw new Error("only the admin secret is looked at")
  }
  const gates = { ofAction: () => gate as never, ofKey: unused, ofSubject: unused }
  const limits = { table: LIMIT_TABLES.tiers, anonymous: { perMinute: 1, perMonth: 1 } }
  const needs = { digests, adminSecret, gates, limits, sessions: {} as never }
  const none = { apiKey: undefined, sessionToken: undefined, clientIp: undefined } satisfies Partial<Credentials>
  return identify(needs, { ...none, adminSecret: given })
}

test("who shows the secret of the settings is the operator", async () => {
  expect(await show(SECRET, SECRET)).toEqual({ kind: "admin" })
})

test.each([SECRET, "", "null", "undefined"])("without a secret in the settings %j opens nothing", async (given) => {
  await expect(show(given, null)).rejects.toMatchObject({ code: "forbidden" })
})
