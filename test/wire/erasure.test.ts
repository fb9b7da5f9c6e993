import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { addressHash } from "../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressTerms, domainTerms } from "../../src/domain/compliance/data-subject.ts"
import { startDatabase } from "../support/stack/database.ts"
import { DIGESTS, type Person, insertPersonRows as plantPerson } from "../support/stack/planted-person.ts"
import { findTablesWith } from "../support/stack/tables-with.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const plant = (person: Person) => plantPerson(server.open(), person)
const tablesWith = (text: string) => findTablesWith(server.open(), text)
const store = () => createErasureStore(server.open())
const valid = (text: string) => parseAddress(text) as ValidAddress

async function collect(email: string, accountId: string | null) {
  const terms = await addressTerms(DIGESTS, valid(email))
  const found = new Map<string, Record<string, unknown>[]>()
  for await (const { table, rows } of store().collect({ by: "address", terms, accountId }))
    found.set(table, [...(found.get(table) ?? []), ...rows])
  return found
}

async function erase(email: string, accountId: string | null = null) {
  return store().erase({ by: "address", terms: await addressTerms(DIGESTS, valid(email)), accountId })
}

describe("an address", () => {
  test("is in no table after its erasure, in any spelling, and other addresses lose nothing", async () => {
    await plant({ email: "Alice.Smith@one.test", account: "acc_1" })
    await plant({ email: "bob@one.test", account: "acc_2" })
    expect((await tablesWith("alice.smith@one.test")).length).toBe(15)
    const before = await tablesWith("bob@one.test")

    const erased = await erase("ALICE.SMITH@one.test")
    expect(await tablesWith("alice.smith@one.test")).toEqual([])
    expect(erased.map(({ table }) => table)).toEqual(
      expect.arrayContaining(["results", "suppressions", "feedback", "breach_answers"]),
    )
    // The site's page named both addresses. It is scraped again when needed.
    expect(await tablesWith("bob@one.test")).toEqual(before.filter((table) => table !== "site_scrapes"))
    const [item] = await server
      .open()
      .all<{ evidence: string; status: string }>(sql`SELECT * FROM job_items WHERE job_id LIKE 'acc_1%'`)
    expect(item?.status).toBe("valid")
    expect(JSON.parse(item?.evidence ?? "")).toMatchObject({ address: { ok: false, input: "" } })
    const [row] = await server.open().all<{ cells: string }>(sql`SELECT cells FROM job_rows WHERE job_id LIKE 'acc_1%'`)
    expect(row?.cells).toBe('["",""]')
    expect(await erase("alice.smith@one.test")).toEqual([])
  })

  test("beyond ASCII is found in any mix of letter cases", async () => {
    await plant({ email: "JÖRG.Ünal@one.test", account: "acc_3" })
    await plant({ email: "jörg.ünal@one.test", account: "acc_4" })
    await erase("Jörg.Ünal@one.test")
    expect(await tablesWith("jörg.ünal@one.test")).toEqual([])
  })

  test("with pattern characters matches only itself", async () => {
    await plant({ email: "a*b?c@one.test", account: "acc_5" })
    await plant({ email: "aXbYc@one.test", account: "acc_6" })
    const before = await tablesWith("aXbYc@one.test")
    await erase("a*b?c@one.test")
    expect(await tablesWith("a*b?c@one.test")).toEqual([])
    expect(await tablesWith("aXbYc@one.test")).toEqual(before.filter((table) => table !== "site_scrapes"))
  })

  test("with another address as its suffix differs from that address", async () => {
    await plant({ email: "maria@one.test", account: "acc_7" })
    const before = await tablesWith("maria@one.test")
    await erase("ia@one.test")
    await erase("maria@one.test.example")
    expect(await tablesWith("maria@one.test")).toEqual(before)
  })

  test("is removed from malformed entries that contain it", async () => {
    const database = server.open()
    for (const text of [" carol@one.test", "Carol <carol@one.test>", "mailto:carol@one.test", "not-carol@one.test>"])
      await database.run(sql`INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
        VALUES ('acc_8', ${text}, '', 'invalid_syntax', 0, 0, '{}', 1)`)
    await erase("carol@one.test")
    const left = await database.all<{ address: string }>(
      sql`SELECT address FROM verifications WHERE account_id = 'acc_8'`,
    )
    expect(left.map(({ address }) => address)).toEqual(["not-carol@one.test>"])
  })

  test("is removed from other cells of a file, and other addresses stay", async () => {
    const rows = {
      own: ["Nora", "Nora@One.test", "owner"],
      friend: ["Otto", "otto@one.test", "knows NORA@one.test."],
      malformed: ["Nora", "Nora <nora@one.test>", "x"],
      another: ["Elea", "eleanora@one.test", ""],
    }
    const mailboxes = ["nora@one.test", "otto@one.test", "Nora <nora@one.test>", "eleanora@one.test"]
    for (const [row, cells] of Object.values(rows).entries())
      await server.open().run(sql`INSERT INTO job_rows (job_id, row, cells, idx, mailbox)
        VALUES ('job_cells', ${row}, ${JSON.stringify(cells)}, ${row}, ${mailboxes[row]})`)
    const found = (await collect("nora@one.test", null)).get("job_rows")
    expect(found?.map(({ cells }) => cells)).toEqual([rows.own, ["knows NORA@one.test."], ["Nora <nora@one.test>"]])
    expect(found?.map(({ mailbox }) => mailbox)).toEqual(["nora@one.test", null, "Nora <nora@one.test>"])
    await erase("nora@one.test")
    const left = await server
      .open()
      .all<{ cells: string }>(sql`SELECT cells, mailbox FROM job_rows WHERE job_id = 'job_cells' ORDER BY row`)
    expect(left).toEqual([
      { cells: '["","",""]', mailbox: null },
      { cells: '["Otto","otto@one.test",""]', mailbox: "otto@one.test" },
      { cells: '["","",""]', mailbox: null },
      { cells: JSON.stringify(rows.another), mailbox: "eleanora@one.test" },
    ])
  })

  test("in a list with others is exported without them", async () => {
    const [email, other] = ["paula@one.test", "quentin@one.test"]
    const both = [
      { email, status: "valid" },
      { email: other, status: "invalid" },
    ]
    await server
      .open()
      .run(sql`INSERT INTO idempotency (request_key, request_hash, status, body, created_at, held_until)
      VALUES ('both', 'h', 200, ${JSON.stringify({ results: both, mx: ["mx.one.test"] })}, 1, 1)`)
    await server.open().run(sql`INSERT INTO benchmarks (benchmark_id, account_id, expected, report, created_at)
      VALUES ('both', 'acc_x', ${JSON.stringify(both)}, ${JSON.stringify({ total: 2, differences: both })}, 1)`)
    const found = await collect(email, null)
    expect(found.get("idempotency")).toMatchObject([{ body: { results: [both[0]], mx: ["mx.one.test"] } }])
    expect(found.get("benchmarks")).toMatchObject([
      { expected: [both[0]], report: { total: 2, differences: [both[0]] } },
    ])
    expect(JSON.stringify([...found])).not.toContain(other)
  })

  test.each([
    ["hard_bounce", 1],
    ["spam_complaint", 1],
    ["soft_bounce", 0],
    ["unsubscribe", 0],
    ["manual", 0],
  ])("suppressed for %s leaves %i entries, with the hash only", async (reason, count) => {
    const email = `${reason}@one.test`
    await plant({ email, account: "acc_9", reason })
    await erase(email)
    const hash = await addressHash(DIGESTS, valid(email))
    const left = await server
      .open()
      .all(sql`SELECT address, source, reason FROM suppressions WHERE address_hash = ${hash}`)
    expect(left).toEqual(Array.from({ length: count }, () => ({ address: null, source: null, reason })))
  })
})

describe("an account", () => {
  test("erases its own rows about an address, and the shared result when it is the last account with it", async () => {
    await plant({ email: "dora@one.test", account: "acc_10" })
    await plant({ email: "dora@one.test", account: "acc_11" })
    await erase("dora@one.test", "acc_10")
    const owners = await server.open().all(sql`SELECT account_id FROM verifications WHERE address = 'dora@one.test'`)
    expect(owners).toEqual([{ account_id: "acc_11" }])
    // A recheck would create the result again.
    const shared = ["results", "rechecks"]
    const others = ["accounts", "suppressions", "job_items"]
    expect(await tablesWith("dora@one.test")).toEqual(expect.arrayContaining([...shared, ...others]))
    await erase("dora@one.test", "acc_11")
    expect((await tablesWith("dora@one.test")).filter((table) => shared.includes(table))).toEqual([])
  })

  test("cannot erase a result that it never requested", async () => {
    await plant({ email: "emil@one.test", account: "acc_12" })
    expect(await erase("emil@one.test", "acc_13")).toEqual([])
    expect(await tablesWith("emil@one.test")).toContain("results")
  })

  test("exports only its own rows, without hashes and secrets", async () => {
    await plant({ email: "fritz@one.test", account: "acc_14" })
    await plant({ email: "fritz@one.test", account: "acc_15" })
    const own = await collect("fritz@one.test", "acc_14")
    expect(JSON.stringify([...own])).not.toContain("acc_15")
    const shown = [{ cells: ["fritz@one.test", "x"] }, { evidence: { mailbox: { said: "<fritz@one.test> is here" } } }]
    expect([own.get("job_rows")?.[0], own.get("results")?.[0]]).toMatchObject(shown)
    const all = await collect("fritz@one.test", null)
    expect(all.get("verifications")).toHaveLength(2)
    expect(all.get("api_keys")?.[0]).not.toHaveProperty("digest")
  })

  test("leaves no row after its erasure, and other accounts lose nothing", async () => {
    await plant({ email: "gina@two.test", account: "acc_16" })
    await plant({ email: "hugo@two.test", account: "acc_17" })
    await store().eraseAccount("acc_16")
    expect(await tablesWith("acc_16")).toEqual([])
    const others = ["accounts", "api_keys", "jobs", "job_items", "usage"]
    expect(await tablesWith("acc_17")).toEqual(expect.arrayContaining(others))
  })

  test("includes what its test keys did, in the export and in the erasure", async () => {
    await plant({ email: "owner@two.test", account: "acc_31" })
    await plant({ email: "tina@two.test", account: "acc_31_test" })
    const exported: unknown[] = []
    for await (const { rows } of store().collectAccount("acc_31")) exported.push(...rows)
    expect(JSON.stringify(exported)).toContain("tina@two.test")
    await store().eraseAccount("acc_31")
    expect(await tablesWith("acc_31")).toEqual([])
  })
})

test("erasing a domain erases all its addresses", async () => {
  await plant({ email: "ivan@three.test", account: "acc_18" })
  await plant({ email: "jana@three.test", account: "acc_19", reason: "hard_bounce" })
  await plant({ email: "kurt@sub.three.test", account: "acc_20" })
  await store().erase({ by: "domain", terms: await domainTerms(DIGESTS, "three.test"), accountId: null })
  expect(await tablesWith("@three.test")).toEqual([])
  expect(await tablesWith("kurt@sub.three.test")).toEqual(
    expect.arrayContaining(["results", "verifications", "suppressions"]),
  )
  const hash = await addressHash(DIGESTS, valid("jana@three.test"))
  expect(await server.open().all(sql`SELECT address FROM suppressions WHERE address_hash = ${hash}`)).toEqual([
    { address: null },
  ])
})
