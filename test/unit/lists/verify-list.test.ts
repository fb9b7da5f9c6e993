import { expect, test } from "vitest"
import { verifyList } from "../../../src/services/lists/verify-list.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import { NOW } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

/** The charge of two addresses at missing domains, verified one after the other. */
async function costOfTwo({ storeFailsAt }: { storeFailsAt: number }): Promise<number[]> {
  const settled: number[] = []
  let saves = 0
  const ctx = testContext({
    clock: { now: () => NOW, sleep: () => new Promise(() => undefined) },
    log: () => undefined,
    background: () => undefined,
    digests: { of: async (_: string, text: string) => text },
    dns: dnsZone({}),
    cache: { put: async () => undefined },
    store: {
      resultLists: {
        findMany: async () => new Map(),
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
        async saveAll() {
          if (++saves === storeFailsAt) throw new Error("the store is down")
        },
      },
      suppressions: { haveFlags: async () => false },
    },
  })
  const meter = testMeter({
    reserve: async () => ({ chargeId: "c", settle: async (credits: number) => void settled.push(credits) }),
  })
  await verifyList(ctx, meter, {
    emails: ["anna@one.test", "ben@two.test"],
    ...{ smtp: true, deduplicate: false, maxConcurrent: 1, checkSuppression: true, accountId: null },
  }).catch(() => undefined)
  return settled
}

test("a list costs its results, and nothing when it fails midway", async () => {
  expect(await costOfTwo({ storeFailsAt: 0 })).toEqual([2])
  expect(await costOfTwo({ storeFailsAt: 2 })).toEqual([0])
})
