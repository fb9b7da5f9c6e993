import { expect, test } from "vitest"
import type { ResultToStore } from "../../../src/adapters/store/results.ts"
import { type VerifyManyNeeds, verifyMany } from "../../../src/services/verification/verify-many.ts"
import { dnsZone } from "../../support/dns-zone.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/evidence.ts"

const EMAIL = "anna@example.org"
const VALID = verificationOf(EMAIL, { domain: domainFacts(), mailbox: mailbox(rcpt(250, "Ok")) })

/** What is stored when each address is asked anew and DNS fails, by when the result that is there ends. */
async function storedInTrouble(expiresAt: number): Promise<(string | null)[]> {
  const saved: (string | null)[] = []
  const needs = {
    clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
    log: () => undefined,
    background: () => undefined,
    digests: { of: async (_: string, text: string) => text },
    dns: dnsZone({ "example.org": "servfail" }),
    resultLists: {
      among: async () => new Map([[EMAIL, { evidence: VALID.evidence, verifiedAt: NOW - 1, expiresAt }]]),
      factsOf: async () => new Map(),
      saveFactsOf: async () => undefined,
      saveAll: async (rows: ResultToStore[]) => void saved.push(...rows.map(({ verdict }) => verdict.finding)),
    },
    cache: { put: async () => undefined },
    presentCached: () => ({}),
  }
  const asked = { emails: [EMAIL], smtp: true, wallAt: NOW + 30_000, priority: "bulk", serve: "nothing" } as const
  const [answer] = await verifyMany(needs as unknown as VerifyManyNeeds, asked)
  expect(answer).toMatchObject({ cached: false, verdict: { status: "unknown", finding: "dns_failure" } })
  return saved
}

test("trouble of the moment takes the place of no result that still holds", async () => {
  expect(await storedInTrouble(NOW + 1)).toEqual([])
  expect(await storedInTrouble(NOW)).toEqual(["dns_failure"])
})
