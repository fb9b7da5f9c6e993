import { describe, expect, test } from "vitest"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import { RETENTION } from "../../../schema/tables/retention.ts"
import { allTables } from "../../support/source/tables.ts"

const tables = await allTables()

/** Column names that may hold an address or a statement about one. */
const PERSONAL_NAME =
  /(^|_)(e?mails?|address(es)?|mailbox|recipients?|local_part|owner|payload|body|evidence|checks|cells|snapshot|expected|subject|source|note|text)($|_)/
const PERSONAL_HASH = /^(address_hash|digest)$/

/** Columns of a table with a name that suggests personal data. */
function suspects({ name, columns }: (typeof tables)[number]): string[] {
  return [...columns].flatMap(([column, { dataType, columnType }]) => {
    const isText = columnType.startsWith("SQLiteText")
    const looksPersonal = dataType === "json" || (isText && (PERSONAL_NAME.test(column) || PERSONAL_HASH.test(column)))
    return looksPersonal ? [`${name}.${column}`] : []
  })
}

/** Columns that look personal but are not, with the reason. */
const NOT_PERSONAL: Readonly<Record<string, string>> = {
  "api_keys.digest": "of a key's secret",
  "api_keys.restrictions": "networks and origins that a customer set; without them the key would work from anywhere",
  "audit_trail.details": "ids, counts and keyed hashes only",
  "audit_trail.subject": "an id or a keyed hash",
  "domains.facts": "about a domain, shared by all its addresses",
  "feedback.source": "a provider's name or the caller's own text; erased with the address",
  "fleet_health.listings": "blocklists of our own IPs",
  "fleet_health.report": "a node's examination of itself",
  "fleet_nodes.public_keys": "a node's own",
  "fleet_nodes.source_ips": "a node's own",
  "fleet_outcomes.source_ip": "a node's own",
  "fleet_pairs.source_ip": "a node's own",
  "fleet_sender_domains.findings": "about our own sender domains",
  "fleet_tokens.digest": "of a token's secret",
  "format_samples.source": "the kind of page or list of the sample",
  "integrations.settings": "configuration of the integration; neither secrets nor contacts",
  "job_files.header": "names of columns",
  "ledger.gate": "the id of a limiter, named by a keyed hash",
  "ledger.source": "the payment source of a charge",
  "ledger.subject": "an account, a key, or a keyed hash of a network",
  "list_overrides.note": "the operator's reason about a domain",
  "list_refreshes.sources": "names of public lists",
  "models.report": "sums over samples",
  "models.weights": "sums over samples",
  "training_runs.report": "sums over samples",
  "usage.subject": "an account, a key, or a keyed hash of a network",
  "webhook_subscriptions.events": "names of events",
}

const covered = new Set(PERSONAL_TABLES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)))

describe("every column with a personal name is erased and exported, or listed as harmless", () => {
  test.each(tables.map((table) => [table.name, table] as const))("%s", (_, table) => {
    const open = suspects(table).filter((one) => !covered.has(one) && !(one in NOT_PERSONAL))
    expect(open, "add it to schema/tables/personal-data.ts").toEqual([])
  })

  test("the search for such columns finds known examples", () => {
    const found = tables.flatMap(suspects)
    for (const known of ["results.address", "job_items.email", "job_rows.cells", "outbound_events.payload"])
      expect(found).toContain(known)
    expect(found).not.toContain("jobs.status")
  })
})

describe("the listed tables and columns exist", () => {
  const shape = new Map(tables.map(({ name, columns }) => [name, columns]))

  test.each(PERSONAL_TABLES)("$table", ({ table, columns, hidden = [] }) => {
    for (const column of [...columns, ...hidden]) expect(shape.get(table)?.has(column), `${table}.${column}`).toBe(true)
  })

  test("every exception names an existing column", () => {
    for (const one of Object.keys(NOT_PERSONAL)) {
      const [table = "", column = ""] = one.split(".")
      expect(shape.get(table)?.has(column), one).toBe(true)
    }
  })

  test("no table is listed twice or is unknown", () => {
    const names = PERSONAL_TABLES.map(({ table }) => table)
    expect(new Set(names).size).toBe(names.length)
    for (const { table } of RETENTION) expect(shape.has(table), table).toBe(true)
  })

  test("account tables are marked as such, and each can be emptied", () => {
    for (const { table, account } of PERSONAL_TABLES) {
      const names =
        shape.get(table)?.has("account_id") && !["accounts", "api_keys", "sessions", "identities"].includes(table)
      if (names) expect(account, table).toBe("account_id = :account")
    }
    for (const table of ACCOUNT_TABLES) expect(shape.get(table)?.has("account_id"), table).toBe(true)
  })

  test("every table with addresses has a retention or a reason to stay", () => {
    const stays = ["suppressions", "address_feedback", "accounts", "api_keys", "identities", "breached_addresses"]
    const kept = new Set(RETENTION.map(({ table }) => table))
    const open = PERSONAL_TABLES.filter(
      ({ table, columns }) => columns.length > 0 && !kept.has(table) && !stays.includes(table),
    )
    expect(open.map(({ table }) => table)).toEqual([])
  })
})
