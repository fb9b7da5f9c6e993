import { describe, expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { NOT_PERSONAL, PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import { RETENTION } from "../../../schema/tables/retention.ts"
import { allTables } from "../../support/tables.ts"

const tables = await allTables()

/** Names under which an address, or something said about one, is kept. */
const PERSONAL_NAME =
  /(^|_)(e?mails?|address(es)?|mailbox|recipients?|local_part|owner|payload|body|evidence|checks|cells|snapshot|expected|subject|source|note|text)($|_)/
const PERSONAL_HASH = /^(address_hash|digest)$/

/** Columns of a table that look as if they held something personal. */
function suspects({ name, columns }: (typeof tables)[number]): string[] {
  return [...columns].flatMap(([column, { dataType, columnType }]) => {
    const isText = columnType.startsWith("SQLiteText")
    const looksPersonal = dataType === "json" || (isText && (PERSONAL_NAME.test(column) || PERSONAL_HASH.test(column)))
    return looksPersonal ? [`${name}.${column}`] : []
  })
}

const covered = new Set(PERSONAL_TABLES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)))

describe("every column that looks personal is erased and exported, or known to be harmless", () => {
  test.each(tables.map((table) => [table.name, table] as const))("%s", (_, table) => {
    const open = suspects(table).filter((one) => !covered.has(one) && !(one in NOT_PERSONAL))
    expect(open, "add it to schema/tables/personal-data.ts").toEqual([])
  })

  test("the search for suspects finds what it should", () => {
    const found = tables.flatMap(suspects)
    for (const known of ["results.address", "job_items.email", "job_rows.cells", "outbound_events.payload"])
      expect(found).toContain(known)
    expect(found).not.toContain("jobs.status")
  })
})

describe("what the lists name is there", () => {
  const shape = new Map(tables.map(({ name, columns }) => [name, columns]))

  test.each(PERSONAL_TABLES)("$table", ({ table, columns, hidden = [] }) => {
    for (const column of [...columns, ...hidden]) expect(shape.get(table)?.has(column), `${table}.${column}`).toBe(true)
  })

  test("exceptions are of columns that exist", () => {
    for (const one of Object.keys(NOT_PERSONAL)) {
      const [table = "", column = ""] = one.split(".")
      expect(shape.get(table)?.has(column), one).toBe(true)
    }
  })

  test("no table stands twice, none is unknown", () => {
    const names = PERSONAL_TABLES.map(({ table }) => table)
    expect(new Set(names).size).toBe(names.length)
    for (const { table } of RETENTION) expect(shape.has(table), table).toBe(true)
  })

  test("a table of an account's rows says so, and every account's table can be emptied", () => {
    for (const { table, account } of PERSONAL_TABLES) {
      const names =
        shape.get(table)?.has("account_id") && !["accounts", "api_keys", "sessions", "identities"].includes(table)
      if (names) expect(account, table).toBe("account_id = :account")
    }
    for (const table of ACCOUNT_TABLES) expect(shape.get(table)?.has("account_id"), table).toBe(true)
  })

  test("whatever has addresses has a retention, or a reason to stay", () => {
    const stays = ["suppressions", "address_feedback", "accounts", "api_keys", "identities", "breached_addresses"]
    const kept = new Set(RETENTION.map(({ table }) => table))
    const open = PERSONAL_TABLES.filter(
      ({ table, columns }) => columns.length > 0 && !kept.has(table) && !stays.includes(table),
    )
    expect(open.map(({ table }) => table)).toEqual([])
  })
})
