import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { createAccountErasureStore, createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createAnswerWriteStore } from "../../src/adapters/store/verification/answer-writes.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import type { Context } from "../../src/context.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { flagHashes } from "../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { eraseAddress, eraseDomain } from "../../src/services/compliance/erase-data.ts"
import { testContext } from "../support/deps/context.ts"
import { NOW, verificationOf } from "../support/deps/evidence.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { startDatabase } from "../support/stack/database.ts"

const ACCOUNT = "acc_late"
const DOMAIN = "late.test"
let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
  await server.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${ACCOUNT}, 1)`)
})
afterAll(() => server.stop())

/** Erasures at a fixed time, over the real database. */
async function service(): Promise<Context> {
  const database = server.open()
  const { kv } = memoryKv()
  return testContext({
    clock: { now: () => NOW },
    digests: await createDigests(["p".repeat(32)]),
    flags: createFlagCache(kv, createKvReader(kv), () => NOW),
    cache: { delete: async () => undefined },
    store: {
      suppressions: createSuppressionStore(database),
      accountErasures: createAccountErasureStore(database),
      erasure: createErasureStore(database),
    },
  })
}

type Erase = (ctx: Context, address: ValidAddress) => ReturnType<typeof eraseAddress>

test.each<[string, Erase]>([
  ["by its account", (ctx, address) => eraseAddress(ctx, { address, accountId: ACCOUNT })],
  ["with its domain by its account", (ctx) => eraseDomain(ctx, { domain: DOMAIN, accountId: ACCOUNT })],
  ["by the operator", (ctx, address) => eraseAddress(ctx, { address, accountId: null })],
  ["with its domain by the operator", (ctx) => eraseDomain(ctx, { domain: DOMAIN, accountId: null })],
])(
  "an answer to an address that was erased since %s leaves nothing, and a later answer is stored",
  async (who, erase) => {
    const ctx = await service()
    await server.open().run(sql`DELETE FROM account_erasures`)
    const email = `${who.replaceAll(" ", ".")}@${DOMAIN}`
    const address = parseAddress(email) as ValidAddress
    const subjects = await flagHashes(ctx.digests, address)
    const { evidence, verdict, score, canSend } = verificationOf(email)
    const store = (at: number) => {
      const times = { verifiedAt: at, expiresAt: at + 60_000 }
      const result = { key: email, domain: DOMAIN, evidence, verdict, score: score.total, canSend, ...times }
      const entry = { accountId: ACCOUNT, at, subjects, result }
      return createAnswerWriteStore(server.open()).writeAll([{ entry, isRepeated: false }])
    }
    const rowsIn = async (table: "results" | "verified_addresses") =>
      (await server.open().all(sql`SELECT 1 FROM ${sql.identifier(table)} WHERE address = ${email}`)).length

    expect((await erase(ctx, address)).isComplete).toBe(true)
    expect(await store(NOW)).toEqual([true])
    expect([await rowsIn("results"), await rowsIn("verified_addresses")]).toEqual([0, 0])
    expect(await store(NOW + 1)).toEqual([false])
    expect([await rowsIn("results"), await rowsIn("verified_addresses")]).toEqual([1, 1])
  },
)
