import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import Database from "libsql"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import { appliedInFile } from "../../scripts/data/older-database.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { apiKey, jobId, startServer, writeFirstRelease } from "../support/stack/first-release.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-upgrade-"))
const scripts = new URL("../../scripts/data/", import.meta.url).pathname
let dataDir: string
let stack: Stack | null = null

beforeEach(async () => {
  dataDir = mkdtempSync(join(folder, "data-"))
  await writeFirstRelease(dataDir)
})
afterEach(async () => {
  await stack?.stop()
  stack = null
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command as npm does, in a folder without .env. @returns its output */
async function command(name: string, args: readonly string[], settings: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, [join(scripts, name), ...args], { cwd: folder, env })
  return stdout
}

/** Applies the migrations as `npm run migrate` does at a database server. */
async function migrateFile(): Promise<string> {
  const server = await startServer(dataDir)
  try {
    return await command("migrate.ts", [], { LIBSQL_URL: server.url })
  } finally {
    await server.stop()
  }
}

const file = () => join(dataDir, "mailverdict.db")

async function start(): Promise<void> {
  stack = await startStack({
    ...{ port: 0, dataDir, sandbox: true, settings: {}, build: false },
    ...{ onLog: () => undefined, onStep: () => undefined },
  })
}

/** Calls the service with the key of the first release, or as the operator. */
async function call(path: string, { body, asAdmin }: { body?: object; asAdmin?: boolean } = {}) {
  const identity: Record<string, string> = asAdmin
    ? { "x-admin-secret": stack!.secrets.adminSecret }
    : { "x-api-key": apiKey }
  const response = await fetch(`${stack!.url}${path}`, {
    headers: { "content-type": "application/json", ...identity },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  })
  expect({ path, status: response.status }).toEqual({ path, status: 200 })
  return (await response.json()) as Record<string, unknown>
}

/** Reads everything that the first release stored, through the interface. */
async function expectFirstData(): Promise<void> {
  expect(await call("/keys")).toMatchObject({ keys: [{ name: "second" }, { name: "first" }] })
  expect(await call(`/jobs/${jobId}`)).toMatchObject({
    status: "complete",
    summary: { valid: 1, invalid: 1, unknown: 1, invalid_syntax: 1 },
    results: expect.arrayContaining([
      expect.objectContaining({ checks: expect.objectContaining({ email: "alice@mailbox.test" }) }),
    ]),
  })
  expect(await call("/validate/fast?email=nobody@mailbox.test")).toMatchObject({ checks: { status: "invalid" } })
  expect(await call("/suppression/check?email=gone@mailbox.test")).toMatchObject({ is_suppressed: true })
  expect(await call("/suppression/check?email=a@no.example")).toMatchObject({ is_suppressed: true })
  expect(await call("/webhooks/endpoints")).toMatchObject({ endpoints: [{ url: "https://hooks.example.com/mail" }] })
  expect(await call("/admin/users?search=owner@mailbox.test", { asAdmin: true })).toMatchObject({
    users: [{ active_keys: 2, credits_used: 2 }],
  })
  expect(await call("/compliance/summary", { asAdmin: true })).toMatchObject({
    audit: { verified: true, broken_at: null },
  })
}

/** Writes to the tables that upgrades change most: keys, results, suppressions. */
async function expectWrites(): Promise<void> {
  await call("/keys", { body: { name: "third", owner_email: "owner@mailbox.test" } })
  expect(await call("/validate?email=full@mailbox.test")).toMatchObject({ email: "full@mailbox.test" })
  await call("/suppression/add", { body: { email: "later@mailbox.test", reason: "manual" } })
  expect(await call("/keys")).toMatchObject({ keys: [{ name: "third" }, { name: "second" }, { name: "first" }] })
}

describe("an upgrade from the first release", () => {
  test("npm start applies the migrations and answers with the old data", async () => {
    expect(appliedInFile(file())).toEqual(MIGRATIONS.slice(0, 1))
    await start()
    await expectFirstData()
    await expectWrites()
    await stack!.stop()
    expect(appliedInFile(file())).toEqual(MIGRATIONS)
  })

  test("npm run migrate applies them to a database server, and again changes nothing", async () => {
    for (const _ of ["first", "second"]) expect(await migrateFile()).toBe("The database is up to date.\n")
    expect(appliedInFile(file())).toEqual(MIGRATIONS)
  })

  test("a backup from before the upgrade is the way back to its data", async () => {
    const backup = join(dataDir, "backups/before")
    expect(await command("backup.ts", [backup], {})).toContain(`Backed up to ${backup}.`)
    await start()
    await expectWrites()
    await stack!.stop()
    expect(await command("restore.ts", [backup], {})).toContain(`Restored ${backup} to ${dataDir}.`)
    expect(appliedInFile(file())).toEqual(MIGRATIONS.slice(0, 1))
    await start()
    expect(await call("/keys")).toMatchObject({ keys: [{ name: "second" }, { name: "first" }] })
    await expectFirstData()
  }, 90_000)
})

test("a rollback: this version works on a database with a later additive migration", async () => {
  await migrateFile()
  const later = MIGRATIONS.at(-1)! + 1
  const database = new Database(file())
  database.exec(`CREATE TABLE later_things (id TEXT PRIMARY KEY NOT NULL);
    INSERT INTO later_things VALUES ('one');
    ALTER TABLE accounts ADD COLUMN later TEXT;
    ALTER TABLE api_keys ADD COLUMN later TEXT;
    ALTER TABLE results ADD COLUMN later INTEGER DEFAULT 0 NOT NULL;
    UPDATE api_keys SET later = 'kept';
    INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', ${later})`)
  database.close()

  await start()
  await expectFirstData()
  await expectWrites()
  expect(await (await fetch(`${stack!.url}/health`)).json()).toMatchObject({ database: { writable: true } })
  await stack!.stop()
  expect(appliedInFile(file())).toEqual([...MIGRATIONS, later])
  const reopened = new Database(file(), { readonly: true })
  const kept = reopened.prepare("SELECT name, later FROM api_keys ORDER BY created_at").all()
  expect(kept).toMatchObject([{ later: "kept" }, { later: "kept" }, { name: "third", later: null }])
  expect(reopened.prepare("SELECT id FROM later_things").all()).toEqual([{ id: "one" }])
  reopened.close()
})
