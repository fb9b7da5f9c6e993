import { expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import type { ResultToStore } from "../../../src/adapters/store/verification/results.ts"
import { recheckDue } from "../../../src/services/verification/recheck-due.ts"
import { DEFAULT_DEPS } from "../../support/deps/bare-deps.ts"
import { testContext } from "../../support/deps/context.ts"
import { domainFacts, mailbox, NOW, nodeLine, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

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

/** A due address that was greylisted, with its new outcome. Null: no node is available. */
async function recheck(
  outcome: RecipientOutcome | null,
  { attempt = 0, zone = ZONE }: { attempt?: number; zone?: Zone } = {},
) {
  const asked: object[] = []
  const saved: (string | null)[] = []
  const turns: unknown[] = []
  const ctx = testContext({
    ...DEFAULT_DEPS,
    dns: dnsZone(zone),
    probes: {
      async probe({ sourceIp }, { preferNode }) {
        asked.push({ sourceIp, preferNode })
        if (!outcome) return { kind: "unavailable" }
        async function* lines(): AsyncGenerator<NodeLine> {
          yield nodeLine(mailbox(outcome!))
        }
        return { kind: "lines", lines: lines() }
      },
    },
    store: {
      ...DEFAULT_DEPS.store,
      resultLists: {
        findMany: async () => new Map([[EMAIL, { evidence: BEFORE.evidence, verifiedAt: NOW, expiresAt: NOW + 1 }]]),
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
        saveAll: async (rows: ResultToStore[]) => void saved.push(...rows.map(({ verdict }) => verdict.finding)),
      },
      rechecks: {
        lease: async () => [{ address: EMAIL, attempt }],
        postpone: async (next) => void turns.push(...next),
        remove: async (addresses) => void turns.push(...addresses),
      },
    },
    config: { recheckDelaysMs: DELAYS_MS },
  })
  await recheckDue(ctx)
  return { asked, saved, turns }
}

test.each([
  ["no node is available", null, ZONE],
  ["the node throttles it", failure("throttled"), ZONE],
  ["the server cannot be reached", failure("timeout"), ZONE],
  ["DNS fails", null, { "example.org": "servfail" } as Zone],
])("when %s, a greylisted address stays scheduled with its node and source IP", async (_, outcome, zone) => {
  const { saved, turns } = await recheck(outcome, { zone })
  expect(turns).toEqual([{ address: EMAIL, attempt: 1, dueAt: NOW + DELAYS_MS[1]! }])
  expect(saved).toEqual([])
})

test("failures do not repeat forever", async () => {
  const { saved, turns } = await recheck(failure("timeout"), { attempt: DELAYS_MS.length - 1 })
  expect(turns).toEqual([EMAIL])
  expect(saved).toEqual([])
})

test("an answer is stored and ends the rechecks; another deferral is stored and continues them", async () => {
  const settled = await recheck(rcpt(250, "Ok"))
  expect(settled.asked).toEqual([{ sourceIp: "192.0.2.2", preferNode: "n-1" }])
  expect(settled).toMatchObject({ saved: ["catch_all_inconclusive"], turns: [EMAIL] })
  const again = await recheck(rcpt(451, "4.7.1 Greylisted, please come back later"))
  expect(again).toMatchObject({ saved: ["greylisted"], turns: [{ attempt: 1 }] })
})
