import { existsSync } from "node:fs"
import { nameOf } from "./installation.ts"
import type { Plan, PlannedMigration } from "./plan.ts"

const UNIT = "/etc/systemd/system/mailverdict.service"

/** How to stop and start the service on this machine. */
export const STOP = existsSync(UNIT) ? "systemctl stop mailverdict" : "Ctrl+C where `npm start` runs"
export const START = existsSync(UNIT) ? "systemctl start mailverdict" : "npm start"

/** Describes a plan to an operator. */
export function describePlan(plan: Plan): string {
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
    describeService(plan),
    "",
    ...(problems.length > 0 ? ["Fix first:", ...problems.map((one) => `  ${one}`)] : [READY]),
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
