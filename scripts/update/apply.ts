import { resolve } from "node:path"
import { run } from "./command.ts"
import { openState } from "./database.ts"
import { type Code, type Installation, nameOf, type OnStep, type Target } from "./installation.ts"
import { type Place, planUpdate } from "./plan.ts"
import { ownerOf, readRecords, type UpdateRecord, writeRecords } from "./records.ts"
import { refuseWhileRunning } from "./report.ts"

export interface Change extends Place {
  readonly installation: Installation
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
 * @throws Error when something must be put right first, or after a failure, when the former code is back
 */
export async function update(change: Change, target: Target): Promise<UpdateRecord> {
  const { installation, onStep } = change
  const plan = await planUpdate(installation, target, change)
  if (plan.problems.length > 0) throw new Error(plan.problems.join("\n"))
  refuseWhileRunning(plan)
  const migrations = plan.migrations.map(({ name }) => name)
  return recorded(change, { kind: "update", from: plan.current, to: target, migrations }, async () => {
    const folder = await installation.prepare(target, onStep)
    if (plan.databaseBytes !== null) {
      onStep(migrations.length > 0 ? `applying migrations: ${migrations.join(", ")}` : "no migrations to apply")
      if (migrations.length > 0) await inFolder(change, folder, ["migrate"])
    }
    await installation.activate(target)
  })
}

/**
 * Goes back to the version before the last update, or before an interrupted one. The former version works on the newer
 * database, because migrations only add.
 * @param restores whether the backup of that update replaces the data, too
 * @throws Error when there is no update to take back, or after a failure
 */
export async function rollBack(change: Change, { restores }: { restores: boolean }): Promise<UpdateRecord> {
  const { installation, dataDir, settings, onStep } = change
  const records = readRecords(dataDir)
  const undone = records.findLast(({ kind, state }) => kind === "update" && (state === "done" || state === "started"))
  if (!undone) throw new Error(`${dataDir} records no update to take back: check out the former version instead`)
  if (restores && settings.LIBSQL_URL)
    throw new Error(`--restore is for the database in DATA_DIR. Restore ${undone.backup} into a new database instead`)
  if (restores && !undone.backup) throw new Error("--restore: there was no database before the update, so no backup")
  const state = await openState(dataDir, settings)
  state?.close()
  refuseWhileRunning({ holder: state?.holder ?? null })
  const started = { kind: "rollback" as const, from: await installation.current(), to: undone.from, migrations: [] }
  return recorded(change, { ...started, undoes: undone.started_at }, async () => {
    const folder = await installation.prepare(undone.from, onStep)
    if (restores) {
      onStep(`restoring ${undone.backup}`)
      await inFolder(change, folder, ["restore", "--", undone.backup!])
    }
    await installation.activate(undone.from)
  })
}

interface Started extends Pick<UpdateRecord, "kind" | "from" | "to" | "migrations"> {
  /** When the update started that a rollback takes back. */
  readonly undoes?: string
}

/** Takes a backup, makes a change, and records both. After a failure it makes the former code ready again. */
async function recorded(change: Change, started: Started, work: () => Promise<void>): Promise<UpdateRecord> {
  const { dataDir, now } = change
  const { undoes, ...facts } = started
  const backup = await backUp(change, started)
  const record: UpdateRecord = {
    ...{ ...facts, from: plain(started.from), to: plain(started.to), backup },
    ...{ state: "started", started_at: now().toISOString(), ended_at: null, problem: null },
  }
  const former = readRecords(dataDir)
  writeRecords(dataDir, [...former, record])
  const end = (state: UpdateRecord["state"], problem: string | null) => {
    const ended = { ...record, state, ended_at: now().toISOString(), problem }
    const before = former.map((one) => (state === "done" ? settled(one, undoes) : one))
    writeRecords(dataDir, [...before, ended])
    return ended
  }
  try {
    await work()
  } catch (error) {
    const { message } = error as Error
    const what = await goBack(change, record)
    end("failed", message)
    throw new Error(`The ${record.kind} failed. ${message}\n${what}`, { cause: error })
  }
  return end("done", null)
}

/** An earlier record after a change succeeded: the update that it took back, or a change that was interrupted. */
function settled(record: UpdateRecord, undoes: string | undefined): UpdateRecord {
  if (record.started_at === undoes) return { ...record, state: "rolled_back" }
  return record.state === "started" ? { ...record, state: "failed", problem: "interrupted" } : record
}

/** @returns what was done, for the error */
async function goBack({ installation, onStep }: Change, { from, backup }: UpdateRecord): Promise<string> {
  const copy = backup ? ` The backup is in ${backup}.` : ""
  try {
    onStep(`going back to ${nameOf(from)}`)
    await installation.prepare(from, onStep)
    await installation.activate(from)
    return `Back at ${nameOf(from)}, which works on the database also after new migrations.${copy}`
  } catch (error) {
    return `Going back to ${nameOf(from)} failed, too: ${(error as Error).message}${copy}`
  }
}

/** @returns the folder of the backup; null when there is no database yet */
async function backUp(change: Change, { kind, to }: Pick<Started, "kind" | "to">): Promise<string | null> {
  const { dataDir, settings, installation, onStep, now } = change
  const state = await openState(dataDir, settings)
  if (!state) return null
  state.close()
  const stamp = now().toISOString().replaceAll(/[:.]/g, "-")
  const folder = resolve(dataDir, "backups", `before-${kind}-to-${to.version}-${stamp}`)
  onStep(`backing up to ${folder}`)
  await inFolder(change, installation.root, ["backup", "--", folder])
  return folder
}

/** Runs a command of the code in a folder, as the owner of the data. */
async function inFolder({ dataDir }: Change, cwd: string, args: readonly string[]): Promise<void> {
  await run("npm", ["run", "-s", ...args], { cwd, owner: ownerOf(dataDir) })
}

function plain({ version, commit, ref }: Code): Code {
  return { version, commit, ref }
}
