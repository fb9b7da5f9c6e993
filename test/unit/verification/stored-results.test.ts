import { expect, test } from "vitest"
import { createKvReader } from "../../../src/adapters/cache.ts"
import type { AddressQuery, StoredResult } from "../../../src/adapters/store/verification/results.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createResultCache } from "../../../src/adapters/verification/result-cache.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { addressHash, domainHashes } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { NO_SUPPRESSION_FLAGS, type SuppressionFlags } from "../../../src/domain/suppression/flags.ts"
import { findCached } from "../../../src/services/verification/known.ts"
import { testContext } from "../../support/deps/context.ts"
import { NOW, verificationOf } from "../../support/deps/evidence.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"

const ADDRESS = parseAddress("anna@example.org") as ValidAddress
const DIGESTS = await createDigests(["p".repeat(32)])
const HASH = await addressHash(DIGESTS, ADDRESS)
const DOMAIN_HASH = (await domainHashes(DIGESTS, ADDRESS.domain))[0]!
const HOUR_MS = 3_600_000
const VERIFIED_AT = NOW - HOUR_MS
const { evidence: EVIDENCE } = verificationOf(ADDRESS.normalized)

let count = 0

/**
 * A result at the edge and in the database, requested by an account. The edge has these flags, the database those of
 * `truth`.
 */
async function world(edge: Readonly<Record<string, SuppressionFlags>>, truth = edge) {
  const { kv, operations } = memoryKv()
  const reader = createKvReader(kv)
  // Written before the isolate's cached reads.
  let time = NOW - 60_000
  const now = () => time
  const accountId = `acc_cached_${count++}`
  const cache = createResultCache(kv, reader, now)
  const flags = createFlagCache(kv, reader, now)
  await cache.put(`${HASH}`, {
    ...{ json: "{}", canSend: true, canSendIfReceived: true, isTypo: false, classifier: null },
    ...{ evidence: EVIDENCE, verifiedAt: VERIFIED_AT, expiresAt: NOW + HOUR_MS },
  })
  for (const [hash, mark] of Object.entries(edge)) await flags.put(accountId, hash, mark)
  time = NOW
  const asked = { database: 0, background: [] as Promise<unknown>[] }
  const stored: StoredResult = {
    evidence: EVIDENCE,
    verifiedAt: VERIFIED_AT,
    expiresAt: NOW + HOUR_MS,
  }
  const flagsBy = (lists: readonly string[]) =>
    new Map(lists.map((list) => [list, new Map(list === accountId ? Object.entries(truth) : [])]))
  const ctx = testContext({
    clock: { now },
    digests: DIGESTS,
    cache,
    flags,
    background: (work: Promise<unknown>) => void asked.background.push(work),
    store: {
      results: {
        knownAbout: async ({ lists }: AddressQuery) => {
          asked.database++
          return { result: stored, facts: null, flags: flagsBy(lists) }
        },
      },
      suppressions: {
        flags: async (lists: readonly string[]) => {
          asked.database++
          return flagsBy(lists)
        },
      },
    },
  })
  const find = () => findCached(ctx, { address: ADDRESS, accountId, maxAgeHours: undefined })
  return { find, ctx, asked, operations }
}

test("a hit of an account without erasures is served by the edge alone, in one operation", async () => {
  const { find, asked, operations } = await world({})
  const reads = () => operations.filter((operation) => operation.startsWith("get"))
  await find()
  expect(reads()).toHaveLength(1)
  await find()
  expect(reads()).toHaveLength(1)
  expect(asked.database).toBe(0)
})

const erased = (hidesUntil: number): SuppressionFlags => ({ ...NO_SUPPRESSION_FLAGS, hidesUntil })

test.each([
  ["the address", { [HASH]: erased(Number.POSITIVE_INFINITY) }, true],
  ["the domain after it was verified", { [DOMAIN_HASH]: erased(VERIFIED_AT) }, true],
  ["the domain before it was verified", { [DOMAIN_HASH]: erased(VERIFIED_AT - 1) }, false],
  ["the address, and verified it again since", { [HASH]: erased(VERIFIED_AT - 1) }, false],
  ["another one", { another: erased(Number.POSITIVE_INFINITY) }, false],
] as const)("an account that erased %s: the stored result is hidden: %j", async (_, flags, isHidden) => {
  const { find } = await world(flags)
  if (isHidden) expect(await find()).toBeNull()
  else expect(await find()).toMatchObject({ result: { verifiedAt: VERIFIED_AT } })
})

test("an erasure that only the edge still shows is checked in the database, and the edge is corrected", async () => {
  const { find, asked } = await world({ [HASH]: erased(Number.POSITIVE_INFINITY) }, {})
  expect(await find()).toMatchObject({ result: { verifiedAt: VERIFIED_AT } })
  await Promise.all(asked.background)
  const before = asked.database
  expect(await find()).toMatchObject({ result: { verifiedAt: VERIFIED_AT } })
  expect(asked.database).toBe(before)
})

test("an address that the database did not have is not searched again for some seconds", async () => {
  const { asked, ctx } = await world({})
  const other = parseAddress("missing@example.org") as ValidAddress
  const results = {
    async knownAbout() {
      asked.database++
      return { result: null, facts: null, flags: new Map() }
    },
  }
  const find = (trustsMisses: boolean) =>
    findCached({ ...ctx, store: { ...ctx.store, results } } as never, { address: other, accountId: null, trustsMisses })
  expect(await find(true)).toBeNull()
  const before = asked.database
  expect(await find(true)).toBeNull()
  expect(asked.database).toBe(before)
  expect(await find(false)).toBeNull()
  expect(asked.database).toBe(before + 1)
})
