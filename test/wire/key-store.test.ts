import { sql } from "drizzle-orm"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createKeyStore, type KeyStore, type NewKey } from "../../src/adapters/store/accounts/keys.ts"
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
  ...{ last4: "abcd", network: null },
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
