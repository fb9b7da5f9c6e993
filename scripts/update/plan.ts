import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { z } from "zod"
import { rootCause } from "../../src/errors.ts"
import { DATABASE } from "../data/backup-set.ts"
import { addressIn } from "../data/copy-database.ts"
import { appliedMigrations, isInUse, isOlder, olderDatabase, openToRead } from "../data/data-dir.ts"
import { spaceOf } from "../dev/disk-report.ts"
import { type Code, type Installation, readOwn, type Target } from "./installation.ts"

/** Where the data is, and the settings of the service. */
export interface Place {
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string | undefined>>
}

export interface PlannedMigration {
  readonly name: string
  readonly tables: readonly (ChangedTable & { readonly rows: number })[]
}

/** What an update will do. */
export interface Plan {
  readonly current: Code
  readonly target: Target
  /** Lines of the changelog that the target adds. */
  readonly changes: readonly string[]
  readonly migrations: readonly PlannedMigration[]
  readonly migrationSeconds: number
  /** Null: there is no database yet, so no backup is taken. */
  readonly databaseBytes: number | null
  readonly freeBytes: number
  /** Whether the service uses the data folder now. */
  readonly isRunning: boolean
  /** What to fix first. */
  readonly problems: readonly string[]
}

/** Plans an update, without a change of code or data. */
export async function planUpdate(
  installation: Pick<Installation, "root" | "current" | "problemsOf">,
  target: Target,
  place: Place,
): Promise<Plan> {
  const current = await installation.current()
  const state = await openState(place.dataDir, place.settings)
  try {
    const migrations = await plannedMigrations(target, state)
    const { freeBytes } = spaceOf(place.dataDir)
    const bytes = state?.bytes ?? 0
    return {
      current,
      target,
      changes: changelogBetween(readOwn(installation.root, "CHANGELOG.md"), (await target.read("CHANGELOG.md")) ?? ""),
      migrations,
      migrationSeconds: secondsFor(migrations.flatMap(({ tables }) => tables)),
      databaseBytes: state && bytes,
      freeBytes,
      isRunning: isInUse(place.dataDir),
      problems: [
        ...(await installation.problemsOf(target)),
        ...(state && isOlder(state.applied) ? [olderDatabase("The database", "Use a new DATA_DIR or database.")] : []),
        ...(bytes > freeBytes ? [`The backup needs ${bytes} bytes, and ${place.dataDir} has ${freeBytes} free.`] : []),
      ],
    }
  } finally {
    state?.close()
  }
}

async function plannedMigrations(target: Target, state: DatabaseState | null): Promise<PlannedMigration[]> {
  const journal = await target.read(JOURNAL)
  if (journal === null) throw new Error(`${target.ref} has no ${JOURNAL}: it is no version of Mailverdict`)
  if (!state) return []
  const pending = pendingOf(journal, state.applied)
  const planned: PlannedMigration[] = []
  for (const migration of pending) {
    const changed = changedTables((await target.read(migrationFile(migration))) ?? "")
    planned.push({ name: migration.tag, tables: await state.rowsOf(changed) })
  }
  return planned
}

/** Titles and entries of CHANGELOG.md. */
const SECTION = /^## (.+)$/
const ENTRY = /^- /

/** The entries of a changelog by release, in its order. An entry may have several lines. */
function entriesOf(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>()
  let entries: string[] = []
  for (const line of text.split("\n")) {
    const title = SECTION.exec(line)?.[1]
    if (title !== undefined) {
      entries = []
      sections.set(title, entries)
    } else if (ENTRY.test(line)) entries.push(line)
    else if (line.trim() !== "" && entries.length > 0) entries.push(`${entries.pop()}\n${line}`)
  }
  return sections
}

/**
 * What a changelog says since an earlier state of it: the entries of new releases, and those that a known release has
 * since then.
 * @returns a line for each release and each line of an entry
 */
export function changelogBetween(before: string, after: string): string[] {
  const known = entriesOf(before)
  return [...entriesOf(after)].flatMap(([release, entries]) => {
    const old = new Set(known.get(release))
    const fresh = entries.filter((entry) => !old.has(entry))
    return fresh.length === 0 ? [] : [release, ...fresh.flatMap((entry) => entry.split("\n"))]
  })
}

type Settings = Place["settings"]
type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** What an update has to know of the database. It was only read. */
interface DatabaseState {
  /** Times of its migrations. */
  readonly applied: readonly number[]
  readonly bytes: number
  /** Counts the rows of those tables that exist. */
  rowsOf(tables: readonly ChangedTable[]): Promise<(ChangedTable & { readonly rows: number })[]>
  close(): void
}

/** Whether there is a database to back up: at LIBSQL_URL, or in the data folder. */
export function hasDatabase(dataDir: string, settings: Settings): boolean {
  return addressIn(settings) !== null || existsSync(join(dataDir, DATABASE))
}

/** Opens the database of the settings to read. @returns null when the data folder has none yet */
async function openState(dataDir: string, settings: Settings): Promise<DatabaseState | null> {
  const address = addressIn(settings)
  const file = join(dataDir, DATABASE)
  if (!hasDatabase(dataDir, settings)) return null
  const { query, close } = address ? openServer(address) : openFile(file)
  try {
    const tables = (await query("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) => String(name))
    return {
      applied: await appliedMigrations(query),
      bytes: address ? await pagesOf(query) : statSync(file).size,
      async rowsOf(changed) {
        const present = changed.filter(({ name }) => tables.includes(name))
        return Promise.all(
          present.map(async (table) => {
            const [row] = await query(`SELECT count(*) AS amount FROM "${table.name}"`)
            return { ...table, rows: Number(row!.amount) }
          }),
        )
      },
      close,
    }
  } catch (error) {
    close()
    throw new Error(`${address ? "LIBSQL_URL" : file}: cannot read the database: ${rootCause(error).message}`, {
      cause: error,
    })
  }
}

function openServer({ url, authToken }: { url: string; authToken?: string | undefined }) {
  const client = createClient({ url, ...(authToken ? { authToken } : {}) })
  const query: Query = async (sql) => (await client.execute(sql)).rows
  return { query, close: () => client.close() }
}

function openFile(file: string) {
  const database = openToRead(file)
  const query: Query = async (sql) => database.prepare(sql).all() as Record<string, unknown>[]
  return { query, close: () => database.close() }
}

/** 0 where a server does not allow the question. */
async function pagesOf(query: Query): Promise<number> {
  const size = query("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
  return size.then(
    ([row]) => Number(row?.bytes ?? 0),
    () => 0,
  )
}

const Journal = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string().regex(/^[\w-]+$/) })) })

/** A migration by the name of its file and the time that a database records. */
type Migration = z.infer<typeof Journal>["entries"][number]

/** Where drizzle-kit lists the migrations of a version. */
const JOURNAL = "schema/migrations/meta/_journal.json"
const migrationFile = ({ tag }: Migration): string => `schema/migrations/${tag}.sql`

/** @param journal the text of a version's list @param applied times in the database */
export function pendingOf(journal: string, applied: readonly number[]): Migration[] {
  return Journal.parse(JSON.parse(journal)).entries.filter(({ when }) => !applied.includes(when))
}

const NAME = '[`"]?(?<table>\\w+)[`"]?'
/** Statements that read or write each row of a table. Others, such as a new column, take no time. */
const PER_ROW = [
  `^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\\S+ ON ${NAME}`,
  `^UPDATE (?:OR \\w+ )?${NAME}`,
  `^DELETE FROM ${NAME}`,
  `^(?:INSERT|REPLACE) (?:OR \\w+ )?INTO [^;]*? FROM ${NAME}`,
].map((text) => new RegExp(text, "i"))
const ALTERS = new RegExp(`^ALTER TABLE ${NAME}`, "i")

/** A table that a migration changes. */
interface ChangedTable {
  readonly name: string
  /** Statements that visit each of its rows. */
  readonly passes: number
}

/** Tables that exist before a migration and that it changes. @param sql the text of its file */
export function changedTables(sql: string): ChangedTable[] {
  const passes = new Map<string, number>()
  const created = new Set<string>()
  for (const part of sql.split("--> statement-breakpoint")) {
    const statement = part
      .replaceAll(/^\s*--.*$/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
    const fresh = /^CREATE TABLE (?:IF NOT EXISTS )?[`"]?(\w+)/i.exec(statement)?.[1]
    if (fresh) created.add(fresh)
    const visited = PER_ROW.map((one) => one.exec(statement)?.groups?.table).find((table) => table !== undefined)
    const altered = ALTERS.exec(statement)?.groups?.table
    const table = visited ?? altered
    if (table && !created.has(table)) passes.set(table, (passes.get(table) ?? 0) + Number(visited !== undefined))
  }
  return [...passes].map(([name, count]) => ({ name, passes: count }))
}

/** Rows that one pass visits in a second. Measured on two cores: 540,000 for a copy, 1,100,000 for an index. */
const ROWS_A_SECOND = 300_000

/** Estimates the seconds of passes over tables. @param tables rows and passes of each */
export function secondsFor(tables: readonly { readonly rows: number; readonly passes: number }[]): number {
  return tables.reduce((sum, { rows, passes }) => sum + rows * passes, 0) / ROWS_A_SECOND
}
