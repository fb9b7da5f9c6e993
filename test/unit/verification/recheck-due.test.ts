import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/probes/dispatch.ts"
import type { ResultToStore } from "../../../src/adapters/store/results.ts"
import { recheckDue } from "../../../src/services/verification/recheck-due.ts"
import { BARE_NEEDS } from "../../support/bare-needs.ts"
import { dnsZone, type Zone } from "../../support/dns-zone.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/evidence.ts"

type Needs = Parameters<typeof recheckDue>[0]

const EMAIL = "anna@example.org"
const DELAYS_MS = [360_000, 1_800_000, 14_400_000]
const ZONE: Zone = { "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }
const BEFORE = verificationOf(EMAIL, {
  domain: domainFacts(),
  mailbox: mailbox(rcpt(451, "4.7.1 Greylisted, please come back later")),
})

const failure = (name: "timeout" | "throttled"): RecipientOutcome => ({
  kind: "failure",
  stage: "connect",
  failure: name,
  detail: "",
  ms: 1,
})

/** An address that is due, was greylisted before, and now gets this outcome; null: no node can ask. */
async function recheck(
  outcome: RecipientOutcome | null,
  { attempt = 0, zone = ZONE }: { attempt?: number; zone?: Zone } = {},
) {
  const asked: object[] = []
  const saved: (string | null)[] = []
  const turns: unknown[] = []
  const needs = {
    ...BARE_NEEDS,
    dns: dnsZone(zone),
    resultLists: {
      among: async () => new Map([[EMAIL, { evidence: BEFORE.evidence, verifiedAt: NOW, expiresAt: NOW + 1 }]]),
      factsOf: async () => new Map(),
      saveFactsOf: async () => undefined,
      saveAll: async (rows: ResultToStore[]) => void saved.push(...rows.map(({ verdict }) => verdict.finding)),
    },
    recheckDelaysMs: DELAYS_MS,
    probes: {
      async ask({ sourceIp }: { sourceIp: string }, { preferNode }: { preferNode: string }) {
        asked.push({ sourceIp, preferNode })
        if (!outcome) return { kind: "unavailable" }
        async function* lines(): AsyncGenerator<NodeLine> {
          yield { ...mailbox(outcome!), attempts: [], type: "recipient", index: 0, isPrivate: false, isSuspect: false }
        }
        return { kind: "lines", lines: lines() }
      },
    },
    rechecks: {
      take: async () => [{ address: EMAIL, attempt }],
      postpone: async (next: object[]) => void turns.push(...next),
      forget: async (addresses: string[]) => void turns.push(...addresses),
    },
  }
  await recheckDue(needs as unknown as Needs)
  return { asked, saved, turns }
}

test.each([
  ["no node can ask", null, ZONE],
  ["the node puts it off", failure("throttled"), ZONE],
  ["the server cannot be reached", failure("timeout"), ZONE],
  ["DNS fails", null, { "example.org": "servfail" } as Zone],
])("when %s, a greylisted address keeps its turn, and its node and source IP", async (_, outcome, zone) => {
  const { saved, turns } = await recheck(outcome, { zone })
  expect(turns).toEqual([{ address: EMAIL, attempt: 1, dueAt: NOW + DELAYS_MS[1]! }])
  expect(saved).toEqual([])
})

test("trouble does not go on for ever", async () => {
  const { saved, turns } = await recheck(failure("timeout"), { attempt: DELAYS_MS.length - 1 })
  expect(turns).toEqual([EMAIL])
  expect(saved).toEqual([])
})

test("an answer is stored and ends it; another 'later' is stored and goes on", async () => {
  const settled = await recheck(rcpt(250, "Ok"))
  expect(settled.asked).toEqual([{ sourceIp: "192.0.2.2", preferNode: "n-1" }])
  expect(settled).toMatchObject({ saved: ["catch_all_inconclusive"], turns: [EMAIL] })
  const again = await recheck(rcpt(451, "4.7.1 Greylisted, please come back later"))
  expect(again).toMatchObject({ saved: ["greylisted"], turns: [{ attempt: 1 }] })
})
