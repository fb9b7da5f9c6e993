import { expect, test } from "vitest"
import { verifyList } from "../../../src/services/bulk/verify-list.ts"
import { dnsZone } from "../../support/dns-zone.ts"
import { NOW } from "../../support/evidence.ts"

type Needs = Parameters<typeof verifyList>[0]

/** What two addresses of domains that are not there cost, asked about one after the other. */
async function costOfTwo({ storeFailsAt }: { storeFailsAt: number }): Promise<number[]> {
  const settled: number[] = []
  let saves = 0
  const needs = {
    clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
    log: () => undefined,
    background: () => undefined,
    digests: { of: async (_: string, text: string) => text },
    dns: dnsZone({}),
    meter: { reserve: async () => ({ chargeId: "c", settle: async (credits: number) => void settled.push(credits) }) },
    resultLists: {
      among: async () => new Map(),
      factsOf: async () => new Map(),
      saveFactsOf: async () => undefined,
      async saveAll() {
        if (++saves === storeFailsAt) throw new Error("the store is down")
      },
    },
    suppressions: { haveMarks: async () => false },
    cache: { put: async () => undefined },
    presentCached: () => ({}),
  }
  await verifyList(needs as unknown as Needs, {
    emails: ["anna@one.test", "ben@two.test"],
    ...{ smtp: true, deduplicate: false, maxConcurrent: 1, checkSuppression: true, accountId: null },
  }).catch(() => undefined)
  return settled
}

test("a list costs what it came to, and nothing when it failed half way", async () => {
  expect(await costOfTwo({ storeFailsAt: 0 })).toEqual([2])
  expect(await costOfTwo({ storeFailsAt: 2 })).toEqual([0])
})
