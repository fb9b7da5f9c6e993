import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { Pass } from "../../../src/adapters/store/job-chunks.ts"
import { createDigests } from "../../../src/domain/keys/digest.ts"
import type { Evidence } from "../../../src/domain/verdict/evidence.ts"
import { type RunNeeds, runChunk } from "../../../src/services/bulk/run-chunk.ts"
import { BARE_NEEDS } from "../../support/bare-needs.ts"
import { dnsZone } from "../../support/dns-zone.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/evidence.ts"

const EMAIL = "anna@example.org"
const GREYLISTED = rcpt(451, "4.7.1 Greylisted, please come back later")
const BEFORE = verificationOf(EMAIL, { domain: domainFacts(), mailbox: mailbox(GREYLISTED) }).evidence

/** What a second pass writes of an item that was greylisted in the first, by what is heard now; null: no node can ask. */
async function run(outcome: RecipientOutcome | null, isKept = true) {
  const written: Pass[] = []
  const cached: string[] = []
  const needs = {
    ...BARE_NEEDS,
    bulk: { leaseMs: 60_000, retryDelaysMs: [1_000, 1_000] },
    dns: dnsZone({ "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }),
    resultLists: {
      among: async () => new Map([[EMAIL, { evidence: BEFORE, verifiedAt: 0, expiresAt: 0 }]]),
      factsOf: async () => new Map(),
      saveFactsOf: async () => undefined,
    },
    digests: await createDigests(["a pepper of at least 32 characters"]),
    presentCached: () => ({}),
    cache: { put: async (_: unknown, { verifiedAt }: { verifiedAt: number }) => void cached.push(String(verifiedAt)) },
    probes: {
      forAccount: () => ({
        async ask() {
          if (!outcome) return { kind: "unavailable" }
          const line = { ...mailbox(outcome), nodeId: "n-2", attempts: [], isPrivate: false, isSuspect: false }
          return { kind: "lines", lines: [{ ...line, type: "recipient", index: 0 }] }
        },
      }),
    },
    jobChunks: {
      claim: async () => ({
        ...{ accountId: "acc_1", smtp: true, passes: 1 },
        items: [{ idx: 0, email: EMAIL, evidence: BEFORE, attempts: 1 }],
      }),
      write: async (pass: Pass) => {
        expect(cached).toEqual([])
        written.push(pass)
        return { isEnd: false, isKept }
      },
    },
  }
  await runChunk(needs as unknown as RunNeeds, { jobId: "job_1", chunk: 0, leaseEpoch: 1 })
  return { item: written[0]!.items[0]!, results: written[0]!.results.map(({ key }) => key), cached }
}

async function secondPass(outcome: RecipientOutcome | null): Promise<Evidence> {
  const { item } = await run(outcome)
  expect(item).toMatchObject({ status: null, attempts: 2 })
  return item.evidence
}

test("trouble in a pass takes a greylisted item its node and source IP neither", async () => {
  expect(await secondPass(null)).toEqual(BEFORE)
})

test("what the server says anew takes the place of what it said before", async () => {
  expect((await secondPass(GREYLISTED)).mailbox).toMatchObject({ nodeId: "n-2" })
})

test.each([true, false])(
  "what is heard is written with its charge, and only then known at the edge: %j",
  async (isKept) => {
    const { results, cached } = await run(rcpt(250, "2.1.5 ok"), isKept)
    expect(results).toEqual([EMAIL])
    expect(cached).toHaveLength(isKept ? 1 : 0)
  },
)
