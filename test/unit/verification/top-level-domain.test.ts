import { expect, test } from "vitest"
import { checkQuickly } from "../../../src/services/verification/quick-checks.ts"
import { testMeter } from "../../support/deps/context.ts"
import { unstoredContext } from "../../support/deps/unstored-context.ts"

const ctx = await unstoredContext({
  "sells.qzq": { MX: [{ host: "mx.sells.qzq", preference: 0 }] },
  "mx.sells.qzq": { A: ["192.0.2.1"] },
})

test.each([
  ["alice@nowhere.com", true, "invalid", "the domain does not exist"],
  ["alice@nowhere.qzq", false, "invalid", "the domain does not exist, and neither does its top-level domain"],
  // The list can be older than the root zone: DNS decides.
  ["alice@sells.qzq", false, "unknown", "the domain accepts mail; the mailbox itself was not probed"],
  ["alice@nowhere.test", null, "invalid", "the domain does not exist"],
])("%s has a top-level domain that exists: %s", async (email, tldExists, status, note) => {
  const quick = await checkQuickly(ctx, testMeter(), { email, accountId: null })
  expect(quick).toMatchObject({ tldExists, status, note })
})
