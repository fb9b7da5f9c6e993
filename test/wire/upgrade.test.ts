import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import Database from "libsql"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import released from "../../schema/released-migrations.json" with { type: "json" }
import { appliedInFile } from "../../scripts/data/data-dir.ts"
import { migrate } from "../../scripts/data/migrate.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import {
  apiKey,
  FIRST_RELEASE,
  jobId,
  session,
  startServer,
  uploadId,
  writeFirstRelease,
  writeFirstRows,
  writeLaterMigrations,
} from "../support/stack/first-release.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-upgrade-"))
const FIRST_MIGRATIONS = released[FIRST_RELEASE].map(({ when }) => when)
/** What a later version may add: a table, columns, an index, and rows of them. */
const LATER = {
  tag: "9999_later",
  sql: ["accounts", "api_keys", "jobs", "suppressions"]
    .map((table) => `ALTER TABLE ${table} ADD later text;`)
    .concat(
      "ALTER TABLE results ADD later integer DEFAULT 0 NOT NULL;",
      "CREATE TABLE later_things (id text PRIMARY KEY NOT NULL);",
      "CREATE INDEX results_later ON results (later);",
      "INSERT INTO later_things VALUES ('one');",
      "UPDATE api_keys SET later = 'kept';",
    )
    .join("\n--> statement-breakpoint\n"),
}
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

/** Works on the database of the stopped service by its server. */
async function atServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = await startServer(dataDir)
  try {
    return await work(server.url)
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
async function call(path: string, { body, as = "key" }: { body?: object; as?: "key" | "admin" | "session" } = {}) {
  const identity: Record<string, string> = {
    key: { "x-api-key": apiKey },
    admin: { "x-admin-secret": stack!.secrets.adminSecret },
    session: { authorization: `Bearer ${session}` },
  }[as]
  const response = await fetch(`${stack!.url}${path}`, {
    headers: { "content-type": "application/json", ...identity },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  })
  expect({ path, status: response.status }).toEqual({ path, status: 200 })
  return (await response.json()) as Record<string, unknown>
}

/** Reads everything that the first release stored, through the interface. @param keys the names of the keys since */
async function expectFirstData(keys: readonly string[] = []): Promise<void> {
  const names = [...keys, "second", "first"].map((name) => ({ name }))
  expect(await call("/keys")).toMatchObject({ keys: names })
  expect(await call("/auth/me", { as: "session" })).toMatchObject({ email: "owner@inbox.test" })
  expect(await call(`/jobs/${jobId}`)).toMatchObject({
    status: "complete",
    summary: { valid: 1, invalid: 1, unknown: 1, invalid_syntax: 1 },
    results: expect.arrayContaining([
      expect.objectContaining({ checks: expect.objectContaining({ email: "alice@mailbox.test" }) }),
    ]),
  })
  expect(await call(`/bulk/status/${uploadId}`)).toMatchObject({ file_name: "list.csv", status: "complete", total: 2 })
  expect(await call("/validate/fast?email=bob@mailbox.test")).toMatchObject({ checks: { status: "valid" } })
  expect(await call("/suppression/check?email=gone@mailbox.test")).toMatchObject({ is_suppressed: true })
  expect(await call("/suppression/check?email=a@no.example")).toMatchObject({ is_suppressed: true })
  expect(await call("/bounce/stats")).toMatchObject({ total: 1 })
  expect(await call("/integrations")).toMatchObject({ integrations: [{ provider: "slack", name: "Team" }] })
  expect(await call("/webhooks/endpoints")).toMatchObject({ endpoints: [{ url: "https://hooks.example.com/mail" }] })
  expect(await call("/me/alerts")).toMatchObject({ mail: true })
  expect(await call("/admin/lists/overrides", { as: "admin" })).toMatchObject({
    overrides: [{ domain: "throwaway.test" }],
  })
  expect(await call("/fleet/nodes", { as: "admin" })).toMatchObject({
    nodes: expect.arrayContaining([expect.objectContaining({ id: "fra-1", version: FIRST_RELEASE })]),
  })
  expect(await call("/compliance/summary", { as: "admin" })).toMatchObject({
    audit: { verified: true, broken_at: null },
  })
}

/** Writes to the tables that upgrades change most: keys, results, lists, suppressions. @param name of the new key */
async function expectWrites(name: string): Promise<void> {
  await call("/keys", { body: { name, owner_email: "owner@mailbox.test" } })
  expect(await call(`/validate?email=${name}@mailbox.test`)).toMatchObject({ email: `${name}@mailbox.test` })
  const list = [`one-${name}@mailbox.test`, `two-${name}@mailbox.test`]
  const { job_id: job } = await call("/validate/bulk/async", { body: { emails: list } })
  await expect.poll(async () => (await call(`/jobs/${job as string}`)).status, { interval: 250 }).toBe("complete")
  await call("/suppression/add", { body: { email: `later-${name}@mailbox.test`, reason: "manual" } })
}

describe("a database of the first release", () => {
  test("old, new and old again: each version reads the data of the other and adds to it", async () => {
    expect(appliedInFile(file())).toEqual(FIRST_MIGRATIONS)
    await start()
    await expectFirstData()
    await expectWrites("third")
    await stack!.stop()
    expect(appliedInFile(file())).toEqual(MIGRATIONS)

    // To a version with this migration, today's build is an older version.
    const migrationsFolder = mkdtempSync(join(folder, "migrations-"))
    const later = writeLaterMigrations(migrationsFolder, LATER)
    await atServer((url) => migrate({ url, migrationsFolder }))
    expect(appliedInFile(file())).toEqual([...MIGRATIONS, later])
    await start()
    await expectFirstData(["third"])
    await expectWrites("fourth")
    expect(await (await fetch(`${stack!.url}/health`)).json()).toMatchObject({ database: { writable: true } })
    await stack!.stop()

    const reopened = new Database(file(), { readonly: true })
    const kept = reopened.prepare("SELECT name, later FROM api_keys ORDER BY created_at DESC LIMIT 2").all()
    expect(kept).toMatchObject([
      { name: "fourth", later: null },
      { name: "third", later: "kept" },
    ])
    expect(reopened.prepare("SELECT id FROM later_things").all()).toEqual([{ id: "one" }])
    reopened.close()
    expect(appliedInFile(file())).toEqual([...MIGRATIONS, later])
  })

  test("the rows that it writes are accepted by the tables of this version", async () => {
    await atServer(async (url) => {
      await migrate({ url })
      await writeFirstRows(url)
    })
  })

  test.each([
    ["a database server", true],
    ["the data folder", false],
  ])("npm run migrate applies the migrations to %s, and again changes nothing", async (_, isServer) => {
    const run = (url?: string) => command("migrate.ts", [], url ? { LIBSQL_URL: url } : {})
    for (const _again of ["first", "second"])
      expect(await (isServer ? atServer(run) : run())).toBe("The database is up to date.\n")
    expect(appliedInFile(file())).toEqual(MIGRATIONS)
  })

  test("a backup from before the upgrade is the way back to its data", async () => {
    const backup = join(dataDir, "backups/before")
    expect(await command("backup.ts", [backup], {})).toContain(`Backed up to ${backup}.`)
    await start()
    await expectWrites("third")
    await stack!.stop()
    expect(await command("restore.ts", [backup], {})).toContain(`Restored ${backup} to ${dataDir}.`)
    expect(appliedInFile(file())).toEqual(FIRST_MIGRATIONS)
    await start()
    await expectFirstData()
  })
})

test("npm run migrate without a database names both settings", async () => {
  const empty = command("migrate.ts", [], { DATA_DIR: join(dataDir, "none") })
  await expect(empty).rejects.toThrow(/LIBSQL_URL is not set, and \S+\/none has no database/)
})

test.each([["migrate.ts"], ["restore.ts"]])(
  "npm run %s refuses a data folder in use, and changes nothing",
  async (name) => {
    const backup = join(dataDir, "backups/before")
    await command("backup.ts", [backup], {})
    await atServer(async () => {
      const refused = command(name, name === "restore.ts" ? [backup] : [], {})
      await expect(refused).rejects.toThrow("another service uses the data folder")
    })
    expect(readdirSync(dataDir).filter((one) => one.startsWith("before-restore"))).toEqual([])
  },
)

test("npm run restore replaces a damaged database", async () => {
  const backup = join(dataDir, "backups/before")
  await command("backup.ts", [backup], {})
  writeFileSync(file(), "damaged")
  expect(await command("restore.ts", [backup], {})).toContain(`Restored ${backup} to ${dataDir}.`)
  expect(appliedInFile(file())).toEqual(FIRST_MIGRATIONS)
})
