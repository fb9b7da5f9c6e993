import { isOlder, olderDatabase } from "../data/older-database.ts"
import { spaceOf } from "../dev/disk-report.ts"
import { isInUse } from "../libsql-server/lock-folder.ts"
import { type DatabaseState, openState } from "./database.ts"
import { type Code, type Installation, readOwn, type Target } from "./installation.ts"
import { type ChangedTable, changedTables, JOURNAL, migrationFile, pendingOf, secondsFor } from "./migration-plan.ts"

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
export async function planUpdate(installation: Installation, target: Target, place: Place): Promise<Plan> {
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
