import { describe, expect, test } from "vitest"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { AnswerWrite } from "../../../src/adapters/store/verification/answer-writes.ts"
import type { ResultToStore } from "../../../src/adapters/store/verification/results.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS, NO_SUPPRESSION_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { verify } from "../../../src/services/verification/verify.ts"
import { verifyMany } from "../../../src/services/verification/verify-many.ts"
import { DEFAULT_DEPS } from "../../support/deps/bare-deps.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { domainFacts, mailbox, NOW, nodeLine, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const EMAIL = "anna@example.org"
const ACCOUNT = "acc_1"
const TAKEN = rcpt(250, "2.1.5 Ok")
const UNREACHABLE: RecipientOutcome = { kind: "failure", stage: "connect", failure: "timeout", detail: "", ms: 1 }
const CHECKS = { rbl: false, gravatar: true, webPresence: false, domainAge: false }

/** A fresh stored result, hidden from the account up to a time, and the mail server's current reply. */
function world({ hidesUntil = 0, says = TAKEN }: { hidesUntil?: number; says?: RecipientOutcome } = {}) {
  const seen = {
    probes: 0,
    gravatars: 0,
    saved: [] as { status: string; accountId: string | null }[],
    shown: [] as object[],
    background: [] as Promise<unknown>[],
  }
  const { evidence } = verificationOf(EMAIL, {
    domain: domainFacts(),
    mailbox: mailbox(TAKEN),
    gravatar: { found: true, checkedAt: NOW - 2 },
  })
  const result = { evidence, verifiedAt: NOW - 1, expiresAt: NOW + 60_000 }
  async function* lines() {
    yield nodeLine(mailbox(says))
  }
  const ctx = testContext({
    ...DEFAULT_DEPS,
    background: (work: Promise<unknown>) => void seen.background.push(work),
    dns: dnsZone({ "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }),
    gravatar: {
      has: async () => {
        seen.gravatars++
        return false
      },
    },
    flags: { put: async () => undefined },
    writeBehind: {
      async add({ accountId, result }: AnswerWrite) {
        if (result) seen.saved.push({ status: result.verdict.status, accountId })
        return "stored"
      },
    },
    singleFlight: { acquire: async () => true, release: async () => undefined },
    probes: {
      owner: async () => null,
      async probe() {
        seen.probes++
        return { kind: "lines", lines: lines() }
      },
    },
    store: {
      ...DEFAULT_DEPS.store,
      resultLists: {
        findMany: async () => new Map([[EMAIL, result]]),
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
        saveAll: async (rows: ResultToStore[], accountId: string | null) =>
          void seen.saved.push(...rows.map(({ verdict }) => ({ status: verdict.status, accountId }))),
      },
      suppressions: {
        haveFlags: async () => true,
        flags: async (lists: readonly string[]) =>
          new Map(
            lists.map((list) => [
              list,
              new Map(list === ACCOUNT ? [[EMAIL, { ...NO_SUPPRESSION_FLAGS, hidesUntil }]] : []),
            ]),
          ),
      },
      accountErasures: {
        has: async () => hidesUntil > 0,
        showSince: async (_: string, subjects: readonly object[]) => void seen.shown.push(...subjects),
      },
      formats: { addSamples: async () => undefined, samples: async () => [] },
    },
    config: { recheckDelaysMs: [] },
  })
  const one = async () => {
    const verification = await verify(ctx, testMeter(), {
      ...{ address: parseAddress(EMAIL), smtp: true, timeoutMs: 30_000, checks: CHECKS, accountId: ACCOUNT },
      known: Promise.resolve({ result, facts: null, accountFlags: { ...NO_ACCOUNT_FLAGS, hidesUntil } }),
    })
    await Promise.all(seen.background)
    return verification
  }
  const many = async (serve: "fresh" | "settled") => {
    const asked = {
      addresses: [parseAddress(EMAIL)],
      accountId: ACCOUNT,
      smtp: true,
      deadlineAt: NOW + 30_000,
    } as const
    return (await verifyMany(ctx, { ...asked, priority: "bulk", serve }))[0]!
  }
  return { seen, ways: { one, fresh: () => many("fresh"), settled: () => many("settled") } }
}

const WAYS = ["one", "fresh", "settled"] as const

describe.each(WAYS)("a fresh stored result, requested as %s", (way) => {
  test("is served to an account that erased nothing", async () => {
    const { seen, ways } = world()
    expect(await ways[way]()).toMatchObject({ cached: true, verifiedAt: NOW - 1 })
    expect(seen).toMatchObject({ probes: 0, saved: [] })
  })

  test("is served to an account whose erasure is older", async () => {
    const { seen, ways } = world({ hidesUntil: NOW - 2 })
    expect(await ways[way]()).toMatchObject({ cached: true })
    expect(seen).toMatchObject({ probes: 0, shown: [] })
  })

  test("is hidden by an erasure: the server is probed, and then the new result is shown", async () => {
    const { seen, ways } = world({ hidesUntil: Number.POSITIVE_INFINITY })
    expect(await ways[way]()).toMatchObject({ cached: false, verdict: { status: "valid" } })
    expect(seen).toMatchObject({ probes: 1, saved: [{ status: "valid", accountId: ACCOUNT }] })
    expect(seen.shown).toEqual([{ hash: EMAIL, hidesUntil: NOW - 1 }])
  })

  test("stays for other accounts and stays hidden when the new probe fails", async () => {
    const { seen, ways } = world({ hidesUntil: Number.POSITIVE_INFINITY, says: UNREACHABLE })
    expect(await ways[way]()).toMatchObject({ cached: false, verdict: { status: "unknown" } })
    expect(seen).toMatchObject({ saved: [], shown: [] })
  })
})

test("nothing else of a hidden result is shown: Gravatar is queried again", async () => {
  const { seen, ways } = world({ hidesUntil: Number.POSITIVE_INFINITY })
  expect((await ways.one()).evidence.gravatar).toEqual({ found: false, checkedAt: NOW })
  expect(seen.gravatars).toBe(1)
})
