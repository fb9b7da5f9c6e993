import { sql } from "drizzle-orm"
import { expect, inject } from "vitest"
import { openDatabase } from "../../../src/adapters/store/database.ts"
import type { FactName } from "../../../src/domain/verification/evidence.ts"
import { eventually } from "../time/until.ts"
import { type TestKey, withKey } from "./account.ts"
import { call } from "./api.ts"

/** Waits until the results of addresses are stored: this happens after the answers. @param emails in lower case */
export async function untilStored(...emails: readonly string[]): Promise<void> {
  const database = openDatabase(inject("database"))
  const stored = () =>
    database.all(
      sql`SELECT address FROM results WHERE address IN (SELECT value FROM json_each(${JSON.stringify(emails)}))`,
    )
  // Also in a hook, where expect.poll is not allowed.
  await eventually(async () => expect(await stored()).toHaveLength(new Set(emails).size))
}

/** Waits until these facts of a domain are stored: also this happens after the answers. */
export async function untilFactsStored(domain: string, names: readonly FactName[]): Promise<void> {
  const database = openDatabase(inject("database"))
  const stored = async () => {
    const rows = await database.all(
      sql`SELECT facts.key FROM domains, json_each(domains.facts) AS facts WHERE domains.domain = ${domain}`,
    )
    return (rows as { key: string }[]).map(({ key }) => key)
  }
  await expect.poll(stored).toEqual(expect.arrayContaining([...names]))
}

/** Verifies an address, and waits until the result is stored. */
export async function verifyAndStore(key: TestKey, email: string): Promise<void> {
  await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
  await untilStored(email)
}
