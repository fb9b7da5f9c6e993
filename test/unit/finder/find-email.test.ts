import { expect, test } from "vitest"
import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/probes/dispatch.ts"
import type { SampleToKeep } from "../../../src/adapters/store/formats.ts"
import { type FindNeeds, findEmail } from "../../../src/services/finder/find-email.ts"
import { BARE_NEEDS } from "../../support/bare-needs.ts"
import { dnsZone } from "../../support/dns-zone.ts"
import { mailbox, rcpt } from "../../support/evidence.ts"

const NAME = { firstName: "Anna", lastName: "Schmidt", place: "body" } as const
const PERSON = { ...NAME, domain: "company.test", companyName: "" }

/** A company with a mail server that knows the likeliest candidate alone. */
function company({ host, isPrivate }: { host: string; isPrivate: boolean }) {
  const taught: SampleToKeep[] = []
  const work: Promise<unknown>[] = []
  async function* lines({ groups }: ProbeRequest): AsyncGenerator<NodeLine> {
    for (const { index } of groups[0]!.recipients) {
      const outcome = index === 0 ? rcpt(250, "2.1.5 ok") : rcpt(550, "5.1.1 no such user")
      const control = groups[0]!.controls.length > 0 ? rcpt(550, "5.1.1 no such user") : null
      const line = { ...mailbox(outcome, control), attempts: [], type: "recipient" as const, index }
      yield { ...line, isPrivate, isSuspect: false }
    }
  }
  const needs = {
    ...BARE_NEEDS,
    background: (one: Promise<unknown>) => void work.push(one),
    dns: dnsZone({ "company.test": { MX: [{ host, preference: 10 }] } }),
    results: { saveFacts: async () => undefined },
    resultLists: { factsOf: async () => new Map(), among: async () => new Map() },
    gravatar: { has: async () => null },
    meter: { reserve: async () => ({ chargeId: "charge", settle: async () => undefined }) },
    probes: { ask: async (request: ProbeRequest) => ({ kind: "lines", lines: lines(request) }) },
    formats: {
      samples: async () => [],
      addSamples: async (_: string, samples: SampleToKeep[]) => void taught.push(...samples),
      saveSummary: async () => undefined,
    },
  } as unknown as FindNeeds
  const find = async () => {
    const { outcome } = await findEmail(needs, { ...PERSON, smtp: true, scrape: false })
    await Promise.all(work)
    return outcome
  }
  return { taught, find }
}

test.each(["mx.company.test", "company-test.mail.protection.outlook.com"])(
  "what an account's own node confirms at %s teaches nobody else the company's format",
  async (host) => {
    const shared = company({ host, isPrivate: false })
    expect(await shared.find()).toBe("verified")
    expect(shared.taught.length).toBe(1)

    const own = company({ host, isPrivate: true })
    expect(await own.find()).toBe("verified")
    expect(own.taught).toEqual([])
  },
)
