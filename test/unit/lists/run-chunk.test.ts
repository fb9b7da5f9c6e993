import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { Pass } from "../../../src/adapters/store/lists/job-chunks.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { runChunk } from "../../../src/services/lists/run-chunk.ts"
import { DEFAULT_DEPS } from "../../support/deps/bare-deps.ts"
import { testContext } from "../../support/deps/context.ts"
import { domainFacts, mailbox, nodeLine, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const EMAIL = "anna@example.org"
const GREYLISTED = rcpt(451, "4.7.1 Greylisted, please come back later")
const BEFORE = verificationOf(EMAIL, { domain: domainFacts(), mailbox: mailbox(GREYLISTED) }).evidence

/** What a second pass writes of an item greylisted in the first, by the new outcome. Null: no node is available. */
async function run(outcome: RecipientOutcome | null, isStored = true) {
  const written: Pass[] = []
  const cached: string[] = []
  const ctx = testContext({
    ...DEFAULT_DEPS,
    dns: dnsZone({ "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }),
    digests: await createDigests(["a pepper of at least 32 characters"]),
    cache: { put: async (_: unknown, { verifiedAt }: { verifiedAt: number }) => void cached.push(String(verifiedAt)) },
    probes: {
      owner: async () => "acc_1",
      async probe(_request, { accountId }) {
        expect(accountId).toBe("acc_1")
        if (!outcome) return { kind: "unavailable" }
        return { kind: "lines", lines: [nodeLine(mailbox(outcome), { nodeId: "n-2" })] }
      },
    },
    store: {
      ...DEFAULT_DEPS.store,
      resultLists: {
        findMany: async () => new Map([[EMAIL, { evidence: BEFORE, verifiedAt: 0, expiresAt: 0 }]]),
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
      },
      jobChunks: {
        claim: async () => ({
          ...{ accountId: "acc_1", smtp: true, passes: 1 },
          items: [{ idx: 0, email: EMAIL, evidence: BEFORE, attempts: 1 }],
        }),
        write: async (pass: Pass) => {
          expect(cached).toEqual([])
          written.push(pass)
          return { isEnd: false, isStored }
        },
      },
    },
    config: { bulk: { leaseMs: 60_000, retryDelaysMs: [1_000, 1_000] } },
  })
  await runChunk(ctx, { jobId: "job_1", chunk: 0, leaseEpoch: 1 })
  return { item: written[0]!.items[0]!, results: written[0]!.results.map(({ key }) => key), cached }
}

async function secondPass(outcome: RecipientOutcome | null): Promise<Evidence> {
  const { item } = await run(outcome)
  expect(item).toMatchObject({ status: null, attempts: 2 })
  return item.evidence
}

test("a failed pass preserves a greylisted item's node and source IP", async () => {
  expect(await secondPass(null)).toEqual(BEFORE)
})

test("a new server reply replaces the previous one", async () => {
  expect((await secondPass(GREYLISTED)).mailbox).toMatchObject({ nodeId: "n-2" })
})

test.each([true, false])(
  "results are written with their charge, and only then published at the edge: %j",
  async (isStored) => {
    const { results, cached } = await run(rcpt(250, "2.1.5 ok"), isStored)
    expect(results).toEqual([EMAIL])
    expect(cached).toHaveLength(isStored ? 1 : 0)
  },
)
