import { expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import { createDigests } from "../../../src/domain/accounts/digest.ts"
import { checkQuickly } from "../../../src/services/verification/quick-checks.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const { fetch } = dnsZone({
  "sells.qzq": { MX: [{ host: "mx.sells.qzq", preference: 0 }] },
  "mx.sells.qzq": { A: ["192.0.2.1"] },
})
const dns = createDns({ urls: ["https://dns.test/"], fetch, now: () => 0, memory: createDnsMemory() })
const ctx = testContext({
  dns,
  clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
  digests: await createDigests(["p".repeat(32)]),
  flags: { isKnownEmpty: () => true },
  cache: { isKnownMiss: () => true },
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
