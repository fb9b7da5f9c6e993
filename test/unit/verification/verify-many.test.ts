import { expect, test } from "vitest"
import type { ResultToStore } from "../../../src/adapters/store/verification/results.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { verifyMany } from "../../../src/services/verification/verify-many.ts"
import { testContext } from "../../support/deps/context.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const EMAIL = "anna@example.org"
const VALID = verificationOf(EMAIL, { domain: domainFacts(), mailbox: mailbox(rcpt(250, "Ok")) })

/** What is stored when each address is verified again and DNS fails, by the end of the existing result. */
async function storedInTrouble(expiresAt: number): Promise<(string | null)[]> {
  const saved: (string | null)[] = []
  const ctx = testContext({
    clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
    log: () => undefined,
    background: () => undefined,
    digests: { of: async (_: string, text: string) => text },
    dns: dnsZone({ "example.org": "servfail" }),
    cache: { put: async () => undefined },
    store: {
      resultLists: {
        findMany: async () => new Map([[EMAIL, { evidence: VALID.evidence, verifiedAt: NOW - 1, expiresAt }]]),
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
        saveAll: async (rows: ResultToStore[]) => void saved.push(...rows.map(({ verdict }) => verdict.finding)),
      },
    },
  })
  const asked = { addresses: [parseAddress(EMAIL)], accountId: null, smtp: true, deadlineAt: NOW + 30_000 } as const
  const [answer] = await verifyMany(ctx, { ...{ ...asked, priority: "bulk", serve: "nothing" } })
  expect(answer).toMatchObject({ cached: false, verdict: { status: "unknown", finding: "dns_failure" } })
  return saved
}

test("a temporary failure never replaces a fresh result", async () => {
  expect(await storedInTrouble(NOW + 1)).toEqual([])
  expect(await storedInTrouble(NOW)).toEqual(["dns_failure"])
})
