import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createFormatStore } from "../../src/adapters/store/finder/formats.ts"
import { createResultLists } from "../../src/adapters/store/verification/results.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { cacheKey } from "../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { learnFormats, readFormats } from "../../src/services/finder/formats.ts"
import { learnFromResults } from "../../src/services/finder/learn-from-results.ts"
import { testContext } from "../support/deps/context.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../support/deps/evidence.ts"
import { startDatabase } from "../support/stack/database.ts"

const ROUTE = { kind: "mx", hosts: [{ host: "mx.company.test", preference: 10 }] } as const

let database: Awaited<ReturnType<typeof startDatabase>>

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

async function setUp() {
  const digests = await createDigests(["a pepper of at least thirty-two characters"])
  return testContext({
    digests,
    clock: { now: () => 1_000, sleep: async () => undefined },
    store: { formats: createFormatStore(database.open()), resultLists: createResultLists(database.open()) },
  })
}

const samples = (...locals: string[]) => locals.map((localPart) => ({ localPart }))

describe("learning over the real database server", () => {
  test("an address counts once in any letter case, and role mailboxes are not learned", async () => {
    const ctx = await setUp()
    const input = { domain: "once.test", source: "verified" } as const
    expect(await learnFormats(ctx, [{ ...input, samples: samples("jane.doe", "info", "sales") }])).toBe(1)
    await learnFormats(ctx, [{ ...input, samples: samples("Jane.Doe", "john.smith") }])
    const known = await readFormats(ctx, { domain: "once.test", route: ROUTE })
    expect(known.sampleCount).toBe(2)
    expect(known.formats[0]).toMatchObject({ format: "{first}.{last}", weight: expect.closeTo(2, 1) })
    const { formats } = await ctx.store.formats.list({ limit: 10, offset: 0 })
    expect(formats).toMatchObject([{ domain: "once.test", format: "{first}.{last}", sampleCount: 2 }])
  })

  test("the table reveals nothing of an address", async () => {
    const ctx = await setUp()
    await learnFormats(ctx, [{ domain: "hidden.test", source: "received", samples: samples("very.secretname") }])
    const rows = await database.open().all("SELECT * FROM format_samples WHERE domain = 'hidden.test'")
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain("secretname")
  })

  test("nothing is learned from public mailbox providers", async () => {
    const ctx = await setUp()
    expect(await learnFormats(ctx, [{ domain: "gmail.com", source: "verified", samples: samples("jane.doe") }])).toBe(0)
    expect(
      await learnFormats(ctx, [{ domain: "mailinator.com", source: "verified", samples: samples("jane.doe") }]),
    ).toBe(0)
  })

  test("a scrape is stored unchanged", async () => {
    const { formats } = (await setUp()).store
    const scrape = {
      outcome: "read",
      pages: 2,
      emails: [{ email: "a@x.test", writing: "plain", label: "" }],
      fetchedAt: 1,
      expiresAt: 2,
    } as const
    expect(await formats.scrape("x.test")).toBeNull()
    await formats.saveScrape("x.test", { ...scrape, pages: 1 })
    await formats.saveScrape("x.test", scrape)
    expect(await formats.scrape("x.test")).toEqual(scrape)
  })

  test("confirmed mailboxes of the last minutes are learned once, others never", async () => {
    const resultLists = createResultLists(database.open())
    const { digests, ...rest } = await setUp()
    const now = NOW + 120_000
    const ctx = testContext({
      digests,
      clock: { now: () => now, sleep: async () => undefined },
      store: { formats: rest.store.formats, resultLists },
    })
    const verified = async (email: string, { code, control = 550, at = now }: Reply) => {
      const address = parseAddress(email) as ValidAddress
      const { evidence, verdict, score, canSend } = verificationOf(email, {
        domain: domainFacts({ domain: address.domain }),
        mailbox: mailbox(rcpt(code, "5.1.1"), rcpt(control, "5.1.1 no such user")),
      })
      const row = { key: cacheKey(address), domain: address.domain, evidence, verdict, score: score.total, canSend }
      await resultLists.saveAll([{ ...row, verifiedAt: at, expiresAt: now + 1 }], null)
    }
    await verified("jane.doe@learned.test", { code: 250 })
    await verified("john.smith@learned.test", { code: 250 })
    await verified("info@learned.test", { code: 250 })
    await verified("mary.major@learned.test", { code: 550 })
    await verified("anna.roe@catch-all.test", { code: 250, control: 250 })
    await verified("richard.roe@gmail.com", { code: 250 })
    await verified("max.moe@old.test", { code: 250, at: now - 4 * 60_000 })
    expect(await learnFromResults(ctx)).toBe(2)
    expect(await learnFromResults(ctx)).toBe(0)
    const known = await readFormats(ctx, { domain: "learned.test", route: ROUTE })
    expect(known.sampleCount).toBe(2)
    expect(known.formats[0]).toMatchObject({ format: "{first}.{last}" })
  })
})

/** The codes of the replies to the mailbox and to a random recipient, and when the result was stored. */
interface Reply {
  readonly code: number
  readonly control?: number
  readonly at?: number
}
