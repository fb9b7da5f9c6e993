import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { importLines } from "../../scripts/data/import-breaches.ts"
import { type BreachStore, createBreachStore } from "../../src/adapters/store/signals/breaches.ts"
import { createDigests, type Digests } from "../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS } from "../../src/domain/suppression/flags.ts"
import { findBreaches } from "../../src/services/verification/breaches.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let breaches: BreachStore
let digests: Digests

beforeAll(async () => {
  database = await startDatabase()
  breaches = createBreachStore(database.open())
  digests = await createDigests(["p".repeat(32)])
})
afterAll(() => database.stop())

const address = (text: string) => parseAddress(text) as ValidAddress
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
async function* each(lines: readonly string[]) {
  yield* lines
}
const run = (lines: readonly string[], breach = "Forum") =>
  importLines(
    { breaches, digests },
    { lines: each(lines), breach, breachedOn: "2020-01-31", now: 1, onProgress: () => undefined },
  )
const search = (email: string) =>
  findBreaches(
    testContext({
      clock: { now: () => 2, sleep: async () => undefined },
      digests,
      breachService: null,
      background: () => undefined,
      store: { breaches },
    }),
    address(email),
    NO_ACCOUNT_FLAGS,
  )

describe("imported breaches", () => {
  test("without an import the answer is unknown", async () => {
    expect(await search("alice@mailbox.test")).toEqual({ answers: [], imported: [], finding: null })
  })

  test("addresses, their hashes and lines that name another breach are found; other lines are skipped", async () => {
    const lines = [
      "Alice@Mailbox.test",
      sha256("bob@mailbox.test").toUpperCase(),
      "carol@mailbox.test\tShop",
      "",
      "no address",
    ]
    expect(await run(lines)).toEqual({ lines: 4, imported: 3, skipped: 1 })
    expect((await search("alice@mailbox.test")).finding).toEqual({ found: true, count: 1 })
    expect((await search("bob@mailbox.test")).answers[0]!.breaches).toEqual([
      { name: "Forum", breachedOn: "2020-01-31", exposed: [] },
    ])
    expect((await search("carol@mailbox.test")).answers[0]!.breaches).toMatchObject([
      { name: "Shop", breachedOn: null },
    ])
    expect((await search("dave@mailbox.test")).finding).toEqual({ found: false, count: 0 })
  })

  test("a second run changes nothing, and a second list adds addresses", async () => {
    await run(["alice@mailbox.test"])
    await run(["erin@mailbox.test"])
    expect(await breaches.sets()).toMatchObject([
      { name: "Forum", addresses: 3 },
      { name: "Shop", addresses: 1 },
    ])
  })

  test("more lines than fit into a statement are imported", async () => {
    const lines = Array.from({ length: 4_500 }, (_, i) => `user${i}@many.test`)
    expect(await run(lines, "Many")).toMatchObject({ imported: 4_500 })
    expect((await search("user4499@many.test")).finding).toEqual({ found: true, count: 1 })
  })

  test("the tables contain no address", async () => {
    const rows = await database.open().all<{ digest: string }>("SELECT digest FROM breached_addresses")
    expect(rows.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest))).toBe(true)
    expect(rows.map(({ digest }) => digest)).not.toContain(sha256("alice@mailbox.test"))
  })

  test("an address is found in any spelling of the list", async () => {
    await run(["Jose\u0301@B\u00dcCHER.test", '"kim"@mailbox.test', "lee@mailbox.test."], "Letters")
    for (const email of ["jos\u00e9@xn--bcher-kva.test", "kim@mailbox.test", "lee@mailbox.test"])
      expect((await search(email)).finding).toEqual({ found: true, count: 1 })
  })
})
