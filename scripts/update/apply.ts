import { existsSync } from "node:fs"
import { join } from "node:path"
import { ownBackups, stampOf } from "../data/backup-set.ts"
import { isInUse, lockFolder } from "../data/data-dir.ts"
import { DATA_FILES, giveToOwner } from "../data/data-files.ts"
import {
  type Code,
  type Installation,
  nameOf,
  type OnStep,
  ownerOf,
  readRecords,
  run,
  type Target,
  type UpdateRecord,
  writeRecords,
} from "./installation.ts"
import { hasDatabase, type Place, type Plan, type PlannedMigration, planUpdate } from "./plan.ts"

export interface Change extends Place {
  readonly installation: Installation
  /** Of the commands of the installation. They read secrets in files (NAME_FILE) themselves. */
  readonly environment: NodeJS.ProcessEnv
  readonly now: () => Date
  readonly onStep: OnStep
}

/** @throws Error after an update or a rollback that was interrupted, as by a power failure */
export function refuseAfterInterruption({ dataDir }: Pick<Change, "dataDir">): void {
  const last = readRecords(dataDir).find(({ state }) => state === "started")
  if (last)
    throw new Error(`The ${last.kind} of ${last.started_at} was interrupted. Run first: npm run update -- --rollback`)
}

/**
 * Updates to a target: takes a backup, makes the code ready, applies its migrations and lets the next start use it.
 * @returns the record of the update
 * @throws Error when there is something to fix first, or after a failure, when the former code is in use as before
 */
export async function update(change: Change, target: Target): Promise<UpdateRecord> {
  const { installation, onStep } = change
  const plan = await planUpdate(installation, target, change)
  if (plan.problems.length > 0) throw new Error(plan.problems.join("\n"))
  const migrations = plan.migrations.map(({ name }) => name)
  return recorded(change, { kind: "update", from: plan.current, to: target, migrations }, async (lock) => {
    const folder = await installation.prepare(target, onStep)
    onStep("checking that the new version can update and roll back")
    await inFolder(change, folder, ["update", "--", "--help"])
    if (plan.databaseBytes !== null) {
      onStep(migrations.length > 0 ? `applying migrations: ${migrations.join(", ")}` : "no migrations to apply")
      await lock.leaveTo(() => inFolder(change, folder, ["migrate"]))
    }
    await installation.activate(target)
  })
}

/**
 * Goes back to the version before the last update, or before an interrupted one. The former version works on the newer
 * database, because migrations only add. It needs neither a readable database nor room for a backup.
 * @param restores whether the backup of that update replaces the data, too
 * @throws Error when there is no update to take back, or after a failure
 */
export async function rollBack(change: Change, { restores }: { restores: boolean }): Promise<UpdateRecord> {
  const { installation, dataDir, settings, onStep } = change
  const records = readRecords(dataDir)
  const undone = records.findLast(({ kind, state }) => kind === "update" && (state === "done" || state === "started"))
  if (!undone)
    throw new Error(
      `${dataDir} records no update to take back: let the former version run by hand (docs/maintaining.md, Roll back)`,
    )
  if (restores && settings.LIBSQL_URL)
    throw new Error(`--restore is for the database in DATA_DIR. Restore ${undone.backup} into a new database instead`)
  if (restores && !undone.backup) throw new Error("--restore: there was no database before the update, so no backup")
  const from = await installation.current().catch(() => undone.to)
  const started = { kind: "rollback" as const, from, to: undone.from, migrations: [] }
  return recorded(change, { ...started, undoes: undone.started_at }, async (lock) => {
    const folder = await installation.prepare(undone.from, onStep)
    if (restores) {
      onStep(`restoring ${undone.backup}`)
      await lock.leaveTo(() => inFolder(change, folder, ["restore", "--", undone.backup!]))
    }
    await installation.activate(undone.from)
  })
}

interface Started extends Pick<UpdateRecord, "kind" | "from" | "to" | "migrations"> {
  /** When the update started that a rollback takes back. */
  readonly undoes?: string
}

/** Takes a backup, makes a change while the service cannot start, and records both. */
async function recorded(change: Change, started: Started, work: (lock: Lock) => Promise<void>): Promise<UpdateRecord> {
  const { dataDir, installation, now, onStep } = change
  const { undoes, ...facts } = started
  const lock = new Lock(dataDir)
  try {
    const backup = await backUp(change, started)
    const record: UpdateRecord = {
      ...facts,
      from: plain(started.from),
      to: plain(started.to),
      backup,
      state: "started",
      started_at: now().toISOString(),
      ended_at: null,
      problem: null,
    }
    const former = readRecords(dataDir)
    const end = (state: UpdateRecord["state"], problem: string | null) => {
      const ended = { ...record, state, ended_at: now().toISOString(), problem }
      const before = former.map((one) => (state === "done" ? settled(one, undoes) : one))
      optional(change, "no record", () => writeRecords(dataDir, [...before, ended]))
      return ended
    }
    const first = () => writeRecords(dataDir, [...former, record])
    if (record.kind === "update") first()
    else optional(change, "no record", first)
    try {
      await work(lock)
    } catch (error) {
      const { message } = error as Error
      end("failed", message)
      throw new Error(`The ${record.kind} failed. ${message}\n${stillAt(record)}`, { cause: error })
    }
    return end("done", null)
  } finally {
    await installation.cleanUp().catch((error: Error) => onStep(`not removed: ${error.message}`))
    lock.release()
  }
}

/** Reports a failure of a step that must not prevent the way back, as on a full disk. */
function optional({ onStep }: Change, name: string, step: () => void): void {
  try {
    step()
  } catch (error) {
    onStep(`${name}: ${(error as Error).message}`)
  }
}

/** The lock of the data folder, so that neither a start nor another update begins in the middle. */
class Lock {
  readonly #dataDir: string
  #unlock: () => void

  /** @throws Error with the command that stops the service when it runs */
  constructor(dataDir: string) {
    if (isInUse(dataDir)) throw new Error(`The service or another update uses ${dataDir}. Stop it first: ${STOP}`)
    this.#dataDir = dataDir
    this.#unlock = existsSync(dataDir) ? lockFolder(dataDir) : () => undefined
    giveToOwner(dataDir, [DATA_FILES.lock])
  }

  /** Leaves the lock to a command that takes it itself. */
  async leaveTo(work: () => Promise<void>): Promise<void> {
    this.release()
    await work()
    this.#unlock = lockFolder(this.#dataDir)
  }

  release(): void {
    this.#unlock()
    this.#unlock = () => undefined
  }
}

/** An earlier record after a change succeeded: the update that it took back, or a change that was interrupted. */
function settled(record: UpdateRecord, undoes: string | undefined): UpdateRecord {
  if (record.started_at === undoes) return { ...record, state: "rolled_back" }
  return record.state === "started" ? { ...record, state: "failed", problem: "interrupted" } : record
}

function stillAt({ from, backup }: UpdateRecord): string {
  const copy = backup ? ` The backup is in ${backup}.` : ""
  return `${nameOf(from)} is still in use. It works on the database also after new migrations.${copy}`
}

/** @returns the folder of the backup; null when there is no database yet, or when the code to leave cannot copy it */
async function backUp(change: Change, { kind, to }: Pick<Started, "kind" | "to">): Promise<string | null> {
  const { dataDir, settings, installation, onStep, now } = change
  if (!hasDatabase(dataDir, settings)) return null
  const folder = join(ownBackups(dataDir), `${stampOf(now().getTime())}-before-${kind}-to-${to.version}`)
  onStep(`backing up to ${folder}`)
  try {
    await inFolder(change, installation.root, ["backup", "--", folder])
    return folder
  } catch (error) {
    if (kind === "update") throw error
    onStep(`going back without that backup: ${(error as Error).message}`)
    return null
  }
}

/** Runs a command of the code in a folder, as the owner of the data. */
async function inFolder({ dataDir, environment }: Change, cwd: string, args: readonly string[]): Promise<void> {
  await run("npm", ["run", "-s", ...args], { cwd, env: environment, owner: ownerOf(dataDir) })
}

function plain({ version, commit, ref }: Code): Code {
  return { version, commit, ref }
}

const UNIT = "/etc/systemd/system/mailverdict.service"

/** How to stop and start the service on this machine. */
const STOP = existsSync(UNIT) ? "systemctl stop mailverdict" : "Ctrl+C where `npm start` runs"
export const START = existsSync(UNIT) ? "systemctl start mailverdict" : "npm start"

/**
 * Describes a plan to an operator.
 * @param onHost of a container: how the host carries it out, which also stops the service
 */
export function describePlan(plan: Plan, onHost?: string): string {
  const { current, target, changes, problems } = plan
  return [
    `From    ${nameOf(current)}`,
    `To      ${nameOf(target)}`,
    "",
    changes.length > 0 ? "Changes:" : "Changes: the changelog says nothing new",
    ...changes.map((line) => `  ${line}`),
    "",
    ...describeMigrations(plan),
    describeBackup(plan),
    ...(onHost ? [] : [describeService(plan)]),
    "",
    ...(problems.length > 0 ? ["Fix first:", ...problems.map((one) => `  ${one}`)] : [onHost ?? READY]),
  ].join("\n")
}

const READY = "Nothing was changed. The same command without --check updates."

function describeMigrations({ migrations, migrationSeconds, databaseBytes }: Plan): string[] {
  if (databaseBytes === null) return ["Migrations: all, because there is no database yet"]
  if (migrations.length === 0) return ["Migrations: none"]
  const time = migrationSeconds < 1 ? "less than a second" : `about ${Math.ceil(migrationSeconds)} s`
  return [`Migrations: ${migrations.length}, ${time}`, ...migrations.map((one) => `  ${describeMigration(one)}`)]
}

function describeMigration({ name, tables }: PlannedMigration): string {
  if (tables.length === 0) return `${name}: only new tables`
  const rows = (amount: number) => `${amount.toLocaleString("en-US")} ${amount === 1 ? "row" : "rows"}`
  return `${name}: ${tables
    .map((one) => `${one.name} (${rows(one.rows)}${one.passes > 0 ? ", each is read" : ""})`)
    .join(", ")}`
}

function describeBackup({ databaseBytes, freeBytes }: Plan): string {
  if (databaseBytes === null) return "Backup: none, because there is no database yet"
  const size = databaseBytes === 0 ? "of unknown size" : `of ${megabytes(databaseBytes)}`
  return `Backup: ${size} at most, ${megabytes(freeBytes)} are free`
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString("en-US")} MB`
}

function describeService({ isRunning }: Plan): string {
  return isRunning ? `Service: runs here. Stop it before the update: ${STOP}` : "Service: stopped"
}
