import { expect, test } from "vitest"
import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import type { NewSample } from "../../../src/adapters/store/finder/formats.ts"
import { findEmail } from "../../../src/services/finder/find-email.ts"
import { DEFAULT_DEPS } from "../../support/deps/bare-deps.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { mailbox, nodeLine, rcpt } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const NAME = { firstName: "Anna", lastName: "Schmidt", place: "body" } as const
const PERSON = { ...NAME, domain: "company.test", companyName: "" }

/** A company whose mail server accepts only the most likely candidate. */
function company({ host, isPrivate }: { host: string; isPrivate: boolean }) {
  const taught: NewSample[] = []
  const work: Promise<unknown>[] = []
  async function* lines({ groups }: ProbeRequest): AsyncGenerator<NodeLine> {
    for (const { index } of groups[0]!.recipients) {
      const outcome = index === 0 ? rcpt(250, "2.1.5 ok") : rcpt(550, "5.1.1 no such user")
      const control = groups[0]!.controls.length > 0 ? rcpt(550, "5.1.1 no such user") : null
      yield nodeLine(mailbox(outcome, control), { index, isPrivate })
    }
  }
  const ctx = testContext({
    ...DEFAULT_DEPS,
    background: (one: Promise<unknown>) => void work.push(one),
    dns: dnsZone({ "company.test": { MX: [{ host, preference: 10 }] } }),
    gravatar: { has: async () => null },
    probes: { probe: async (request: ProbeRequest) => ({ kind: "lines", lines: lines(request) }) },
    store: {
      ...DEFAULT_DEPS.store,
      resultLists: { factsOf: async () => new Map(), findMany: async () => new Map() },
      formats: {
        samples: async () => [],
        samplesOf: async () => new Map(),
        addSamples: async (samples: NewSample[]) => void taught.push(...samples),
        saveSummaries: async () => undefined,
      },
    },
  })
  const find = async () => {
    const { outcome } = await findEmail(ctx, testMeter(), { ...PERSON, smtp: true, scrape: false, accountId: null })
    await Promise.all(work)
    return outcome
  }
  return { taught, find }
}

test.each(["mx.company.test", "company-test.mail.protection.outlook.com"])(
  "a result of an account's private node at %s does not train the shared formats",
  async (host) => {
    const shared = company({ host, isPrivate: false })
    expect(await shared.find()).toBe("verified")
    expect(shared.taught.length).toBe(1)

    const own = company({ host, isPrivate: true })
    expect(await own.find()).toBe("verified")
    expect(own.taught).toEqual([])
  },
)
