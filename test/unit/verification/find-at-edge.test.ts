import { afterEach, describe, expect, test } from "vitest"
import { createKvReader } from "../../../src/adapters/cache.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createResultCache } from "../../../src/adapters/verification/result-cache.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { addressHash } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"
import { NO_ACCOUNT_FLAGS, NO_SUPPRESSION_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { presentCached } from "../../../src/domain/verification/cached-checks.ts"
import type { Checks as PublishedChecks } from "../../../src/domain/verification/checks.ts"
import type { DomainFacts, Evidence } from "../../../src/domain/verification/evidence.ts"
import { ALL_CHECKS, type OptionalChecks } from "../../../src/domain/verification/plan.ts"
import { findAtEdge, findCached } from "../../../src/services/verification/known.ts"

import { testContext } from "../../support/deps/context.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"
import { ownNumber } from "../../support/deps/own-number.ts"

const DIGESTS = await createDigests(["p".repeat(32)])
const HOUR_MS = 3_600_000
const VERIFIED_AT = NOW - HOUR_MS
const FACTS: Partial<DomainFacts> = {
  exchangers: [{ host: "mx.example.org", addresses: ["192.0.2.1"], isAlias: false }],
  spf: { kind: "none" },
  dkim: { present: false, selectors: [], shownBy: null },
  dmarc: { kind: "none" },
  mtaSts: { kind: "none" },
  bimi: { kind: "none" },
  rbl: { checked: ["zen.spamhaus.org"], matched: ["zen.spamhaus.org"], notConsulted: [] },
  web: { site: "live", httpStatus: 200, https: true, parkedAt: null },
  registration: { kind: "unknown" },
}
const KNOWN: Partial<Evidence> = {
  domain: domainFacts(FACTS),
  mailbox: mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 No such user")),
  gravatar: { found: true, checkedAt: NOW },
}

/** The edge with a result of an address, fresh for an hour. A read of the database fails the test. */
async function world(found: Partial<Evidence> = KNOWN, stores: object = {}) {
  const { kv, operations } = memoryKv()
  const reader = createKvReader(kv)
  const time = { now: NOW - 60_000 }
  const now = () => time.now
  const own = ownNumber()
  const accountId = `acc_edge_${own}`
  const address = parseAddress(`anna${own}@example.org`) as ValidAddress
  const hash = await addressHash(DIGESTS, address)
  const cache = createResultCache(kv, reader, now)
  const flags = createFlagCache(kv, reader, now)
  const { evidence } = verificationOf(address.normalized, found)
  const presented = presentCached(verificationOf(address.normalized, found))
  const times = { verifiedAt: VERIFIED_AT, expiresAt: NOW + HOUR_MS }
  await cache.put(hash, { ...presented, evidence, ...times })
  time.now = NOW
  const background: Promise<unknown>[] = []
  const logged: string[] = []
  const ctx = testContext({
    clock: { now, sleep: async () => undefined },
    digests: DIGESTS,
    cache,
    flags,
    log: (event: string) => void logged.push(event),
    background: (work: Promise<unknown>) => void background.push(work),
    gravatar: { isConfigured: true, has: async () => false },
    rdap: { isConfigured: true },
    store: stores,
  })
  const find = (checks: Partial<OptionalChecks> = {}) =>
    findAtEdge(ctx, { address, accountId }, { ...ALL_CHECKS, ...checks })
  return {
    find,
    ctx,
    address,
    cache,
    flags,
    kv,
    hash,
    accountId,
    operations,
    time,
    background,
    logged,
    stored: { evidence, ...times },
  }
}

test("a fresh result is judged again from its evidence, in one operation and without the database", async () => {
  const { find, operations, background, stored } = await world()
  const before = operations.length
  const found = await find()
  expect(found?.verification).toMatchObject({ cached: true, verifiedAt: VERIFIED_AT, verdict: { status: "valid" } })
  expect(found?.verification.evidence).toEqual(stored.evidence)
  expect(found?.accountFlags).toEqual(NO_ACCOUNT_FLAGS)
  await find()
  expect(operations.slice(before)).toEqual([expect.stringMatching(/^get/)])
  expect(background).toEqual([])
})

test("the account's flags come from the edge", async () => {
  const { find, flags, accountId, hash } = await world()
  await flags.put(accountId, hash, { ...NO_SUPPRESSION_FLAGS, suppression: { expiresAt: null } })
  expect((await find())?.accountFlags.isSuppressed).toBe(true)
})

test("checks that are off are omitted", async () => {
  const { find } = await world()
  const found = await find({ rbl: false, gravatar: false })
  expect(found?.verification.evidence.domain).not.toHaveProperty("rbl")
  expect(found?.verification.evidence).not.toHaveProperty("gravatar")
  expect(found?.verification.score.breakdown.rblPenalty).toBe(0)
})

describe("another catch-all classifier became active", () => {
  const CATCH_ALL = { ...KNOWN, mailbox: mailbox(rcpt(250, "Ok"), rcpt(250, "Ok")) }
  const doubtful = { ...PRIOR_MODELS.catch_all, version: 4, bias: -3, weights: {} }
  const readChecks = (json: string) => JSON.parse(json) as Pick<PublishedChecks, "score" | "score_breakdown">

  afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

  test("a cached result has its score in /validate and /validate/fast, and the entry is written again once", async () => {
    const stores: Record<string, unknown> = {}
    const edge = await world(CATCH_ALL, stores)
    stores.results = { latest: async () => ({ result: edge.stored, facts: null }) }
    const fast = () => findCached(edge.ctx, { address: edge.address, accountId: null })
    const before = await edge.find()
    expect(readChecks((await fast())!.result.json).score).toBe(before!.verification.score.total)

    setActiveClassifier(doubtful)
    const [after, cached] = [await edge.find(), await fast()]
    expect(after!.verification.score).toMatchObject({ breakdown: { catchAllBonus: -20 } })
    expect(after!.verification.score.total).toBeLessThan(before!.verification.score.total)
    expect(readChecks(cached!.result.json)).toMatchObject({
      score: after!.verification.score.total,
      score_breakdown: { catch_all_bonus: -20 },
    })
    expect(cached!.result.canSend).toBe(false)
    await Promise.all(edge.background)
    expect(await edge.cache.get(edge.hash)).toMatchObject({ classifier: 4, canSend: false })
    edge.background.length = 0
    await fast()
    expect(edge.background).toEqual([])
  })

  test("a cached result of any other status stays as it is", async () => {
    const edge = await world()
    setActiveClassifier(doubtful)
    const found = await findCached(edge.ctx, { address: edge.address, accountId: null })
    expect(found?.result).toMatchObject({ classifier: null, json: (await edge.cache.get(edge.hash))!.json })
    expect(edge.background).toEqual([])
  })
})

type World = Awaited<ReturnType<typeof world>>
const without = (name: keyof DomainFacts): Partial<Evidence> => {
  const { [name]: _, ...rest } = domainFacts(FACTS)
  return { ...KNOWN, domain: rest as DomainFacts }
}

describe("the database answers", () => {
  test.each<[string, Partial<Evidence>, (world: World) => unknown]>([
    ["the result is not at the edge", KNOWN, ({ cache, hash }) => cache.delete(hash)],
    ["the result has expired", KNOWN, ({ time }) => (time.now = NOW + HOUR_MS)],
    [
      "the account erased the address",
      KNOWN,
      ({ flags, accountId, hash }) => flags.put(accountId, hash, { ...NO_SUPPRESSION_FLAGS, hidesUntil: VERIFIED_AT }),
    ],
    ["the Gravatar was never requested", { domain: KNOWN.domain!, mailbox: KNOWN.mailbox! }, () => undefined],
    ["the blocklists were never requested", without("rbl"), () => undefined],
    ["the website was never requested", without("web"), () => undefined],
  ])("when %s", async (_, found, change) => {
    const edge = await world(found)
    await change(edge)
    expect(await edge.find()).toBeNull()
    expect(edge.logged).toEqual([])
  })

  test("when the flags of the account are being copied, which this continues", async () => {
    let copied = 0
    const hashes = async () => {
      copied++
      return []
    }
    const edge = await world(KNOWN, { suppressions: { hashes } })
    await edge.flags.markNonEmpty(edge.accountId)
    expect(await edge.find()).toBeNull()
    await Promise.all(edge.background)
    expect(copied).toBe(1)
    expect(await edge.find()).not.toBeNull()
  })

  test("when the cache fails", async () => {
    const { find, cache, logged } = await world()
    cache.get = async () => Promise.reject(new Error("KV GET failed: 500"))
    expect(await find()).toBeNull()
    expect(logged).toEqual(["edge_cache_failed"])
  })
})

test("a lookup that failed runs again after the answer, once a minute, for the next answers", async () => {
  let reads = 0
  const stores: Record<string, unknown> = {}
  const edge = await world({ ...KNOWN, gravatar: { found: null, checkedAt: VERIFIED_AT } }, stores)
  stores.results = {
    latest: async () => {
      reads++
      return { result: edge.stored, facts: null }
    },
  }
  expect((await edge.find())?.verification.evidence.gravatar?.found).toBeNull()
  await edge.find()
  await Promise.all(edge.background)
  expect(edge.background).toHaveLength(1)
  expect(reads).toBeGreaterThan(0)
  expect((await edge.find())?.verification.evidence.gravatar?.found).toBe(false)
})

test("a lookup that fails again writes nothing", async () => {
  const stores: Record<string, unknown> = {}
  const edge = await world({ ...KNOWN, gravatar: { found: null, checkedAt: VERIFIED_AT } }, stores)
  stores.results = { latest: async () => ({ result: edge.stored, facts: null }) }
  Object.assign(edge.ctx.gravatar, { has: async () => null })
  await edge.find()
  const before = edge.operations.length
  await Promise.all(edge.background)
  expect(edge.operations.slice(before)).toEqual([])
})
