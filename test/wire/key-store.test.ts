import { sql } from "drizzle-orm"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createKeyStore, type KeyStore, type NewKey } from "../../src/adapters/store/accounts/keys.ts"
import { scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let keys: KeyStore
beforeAll(async () => {
  database = await startDatabase()
  keys = createKeyStore(database.open())
})
afterAll(() => database.stop())
beforeEach(async () => {
  await database.open().run(sql`DELETE FROM api_keys`)
  await keys.create(newKey("own", "one"))
  await keys.create(newKey("other", "two"))
})

const newKey = (accountId: string, name: string): NewKey => ({
  ...{ keyId: `kid_${name}`, digest: name, pepperId: "p", accountId, ownerEmail: "", name, tier: "free", createdAt: 1 },
  ...{ last4: "abcd", network: null, createdBy: null },
})
/** All keys with their accounts. Active ones have a plus. */
const keyStates = async () =>
  (
    await database
      .open()
      .all<{ state: string }>(sql`SELECT account_id || ':' || name || iif(is_active, '+', '') AS state
      FROM api_keys ORDER BY state`)
  ).map((row) => row.state)

test("a key is rotated once, and by its own account only", async () => {
  expect(await keys.rotate("kid_two", newKey("own", "stolen"))).toBe(false)
  expect(await keys.rotate("kid_nobody's", newKey("own", "made up"))).toBe(false)
  expect(await keys.rotate("kid_one", newKey("own", "next"))).toBe(true)
  expect(await keys.rotate("kid_one", newKey("own", "late"))).toBe(false)
  expect(await keyStates()).toEqual(["other:two+", "own:next+", "own:one"])
})

test("a key's restrictions are read with the key, and changed in one indexed statement", async () => {
  const read = await statementsOf(database, (own) => createKeyStore(own).byDigest("one"))
  const change = { restrictions: { expiresAt: 9 } }
  const written = await statementsOf(database, (own) => createKeyStore(own).change("kid_one", "own", change))
  expect([read.length, written.length]).toEqual([1, 1])
  expect(await scanned(database, [...read, ...written])).toEqual([])
})

test("concurrent changes of different restrictions all stay, and null removes one", async () => {
  const key = async () => await keys.byDigest("one")
  expect(await key()).toMatchObject({ restrictions: null })
  await Promise.all([
    keys.change("kid_one", "own", { restrictions: { scopes: ["verify"] } }),
    keys.change("kid_one", "own", { restrictions: { networks: ["192.0.2.0/24"] } }),
    keys.change("kid_one", "own", { name: "renamed", restrictions: {} }),
  ])
  const both = { expiresAt: null, scopes: ["verify"], networks: ["192.0.2.0/24"], origins: null }
  expect(await key()).toMatchObject({ name: "renamed", restrictions: both })
  expect(await keys.change("kid_one", "own", { restrictions: { scopes: null, expiresAt: 9 } })).toBe(true)
  expect(await key()).toMatchObject({ restrictions: { ...both, scopes: null, expiresAt: 9 } })
  await keys.change("kid_one", "own", { restrictions: { networks: null, expiresAt: null } })
  expect(await key()).toMatchObject({ name: "renamed", restrictions: null })
})

test("a key is changed while it is active, and by its own account only", async () => {
  const change = { name: "changed", restrictions: { expiresAt: 9 } }
  expect(await keys.change("kid_two", "own", change)).toBe(false)
  await keys.revoke("kid_one", "own", 2)
  expect(await keys.change("kid_one", "own", change)).toBe(false)
  expect(await keyStates()).toEqual(["other:two+", "own:one"])
})

test("a rotated key has the restrictions that the old one has at that moment", async () => {
  const old = await keys.find("kid_one", "own")
  await keys.change("kid_one", "own", { restrictions: { scopes: ["find"] } })
  await keys.rotate("kid_one", { ...newKey("own", "next"), restrictions: old?.restrictions ?? {} })
  expect(await keys.byDigest("next")).toMatchObject({ restrictions: { scopes: ["find"] } })
})

test("a key is revoked once, and by its own account only", async () => {
  expect(await keys.revoke("kid_one", "other", 2)).toBe(false)
  expect([await keys.revoke("kid_one", "own", 2), await keys.revoke("kid_one", "own", 3)]).toEqual([true, false])
  expect(await keyStates()).toEqual(["other:two+", "own:one"])
  expect([await keys.digestsOf("own"), await keys.digestsOf("other")]).toEqual([[], ["two"]])
})

test("a closed account gets no key", async () => {
  expect(await keys.add(newKey("own", "second"))).toBe(true)
  for (const name of ["one", "second"]) await keys.revoke(`kid_${name}`, "own", 2)
  expect(await keys.add(newKey("own", "late"))).toBe(false)
  await database.open().run(sql`INSERT INTO sessions (token_hash, account_id, created_at, last_seen_at, expires_at)
    VALUES ('s', 'own', 1, 1, 9)`)
  expect(await keys.add(newKey("own", "by session"))).toBe(true)
  expect(await keyStates()).toEqual(["other:two+", "own:by session+", "own:one", "own:second"])
})
