import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createHttp2Server } from "node:http2"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest"
import { fleetNodes } from "../../schema/tables/fleet.ts"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import type { LocalSecrets } from "../../scripts/data/data-files.ts"
import { migrate } from "../../scripts/data/migrate.ts"
import { examine } from "../../scripts/doctor/examine.ts"
import type { Finding } from "../../scripts/doctor/finding.ts"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { createFleetStore } from "../../src/adapters/store/fleet/fleet.ts"
import { dnsZone, type Zone } from "../support/mail/dns-zone.ts"
import { startDatabaseServer } from "../support/stack/database-server.ts"
import { writeOlderDatabase } from "../support/stack/older-database.ts"

const doctor = fileURLToPath(new URL("../../scripts/doctor/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-doctor-"))
const WRANGLER_TOML = fileURLToPath(new URL("../../wrangler.toml", import.meta.url))
const toml = readFileSync(WRANGLER_TOML, "utf8")
const config = join(folder, "wrangler.toml")

const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

/** Valid production settings. Parts of the running stack replace remote hosts. */
let good: Record<string, string>
beforeAll(async () => {
  const secrets = JSON.parse(readFileSync(join(inject("dataDir"), "secrets.json"), "utf8")) as LocalSecrets
  const node = { id: "eu-1", region: "eu", url: inject("nodeUrl"), public_keys: [secrets.node.publicKey] }
  const resolvers = await Promise.all([resolver({ "example.com": { A: ["192.0.2.1"] } }), resolver({})])
  good = {
    LIBSQL_URL: inject("database").url,
    LIBSQL_AUTH_TOKEN: inject("database").authToken,
    KEY_PEPPER: secrets.keyPepper,
    ADMIN_SECRET: secrets.adminSecret,
    EDGE_SIGNING_KEY: secrets.edge.signingKey,
    PROBE_NODES: JSON.stringify([node]),
    BASE_URL: "https://api.example.com",
    DOH_URL: resolvers.join(","),
  }
  writeFileSync(config, toml.replace('id = "00000000000000000000000000000000"', `id = "${"5e".repeat(16)}"`))
})

async function resolver(zone: Zone): Promise<string> {
  const { fetch } = dnsZone(zone)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch("http://resolver/", { method: "POST", body: Buffer.concat(chunks) })
    response.writeHead(200, { "content-type": "application/dns-message" })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`
}

/** Maps the subject of a finding to "result: detail". */
type Found = ReadonlyMap<string, string>
const toFound = (findings: readonly Finding[]): Found =>
  new Map(findings.map(({ about, result, detail }) => [about, `${result}: ${detail}`]))

const FILES = { env: join(folder, "no.env"), config }
/** The findings of the doctor, in this process. */
const find = async (environment: Record<string, string>, files: Partial<typeof FILES> = {}, isOffline = false) =>
  toFound(await examine({ environment, files: { ...FILES, ...files }, isOffline }))

/** Runs the doctor as a process. */
async function run(
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; found: Found }> {
  const child = spawn(process.execPath, [doctor, "--json", "--env", FILES.env, "--config", config, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  child.stdout.on("data", (chunk) => {
    output += String(chunk)
  })
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  const { doctor: kind, findings } = JSON.parse(output) as { doctor: string; findings: Finding[] }
  expect(kind).toBe("cloudflare")
  return { code, found: toFound(findings) }
}

describe("npm run doctor for a deployment, which wrangler.toml shows", () => {
  test("checks every remote part, and fails only for the local database URL", async () => {
    const { code, found } = await run(good)
    expect(found.get("database")).toBe("ok: answers")
    expect(found.get("migrations")).toMatch(/^ok: all \d+ are applied$/)
    expect(found.get("database writes")).toBe("ok: are accepted")
    expect(found.get("installation")).toBe("ok: the database was used with this KEY_PEPPER and EDGE_SIGNING_KEY")
    expect(found.get("node eu-1")).toBe("warn: answers, over plain http")
    expect([...found].filter(([about, text]) => about.startsWith("resolver") && text === "ok: answers")).toHaveLength(2)
    const failed = [...found].filter(([, text]) => text.startsWith("fail")).map(([about]) => about)
    expect({ code, failed }).toEqual({ code: 1, failed: ["LIBSQL_URL"] })
  })

  test("reports a drained node, and how to use it again", async () => {
    const { url, authToken } = inject("database")
    const fleet = createFleetStore(openDatabase({ url, authToken }))
    await fleet.drain("eu-1", Date.now())
    onTestFinished(() => fleet.resume("eu-1"))
    const found = await find(good)
    expect(found.get("node eu-1")).toBe("warn: is draining: `mailverdict nodes resume eu-1` uses it again")
  })

  test("exits with 0 when all settings are valid", async () => {
    const settings = { ...good, LIBSQL_URL: "libsql://verdicts.example.com" }
    const { code, found } = await run(settings, "--offline")
    expect([...found.values()].filter((text) => text.startsWith("fail"))).toEqual([])
    expect(code).toBe(0)
  })

  test("reports everything that a fresh clone lacks", async () => {
    const found = await find({}, { config: WRANGLER_TOML })
    for (const name of ["LIBSQL_URL", "KEY_PEPPER", "EDGE_SIGNING_KEY"])
      expect(found.get(name)).toBe("fail: is missing")
    expect(found.get("KV CACHE")).toContain("wrangler kv namespace create")
  })

  test("reports a service binding that still names the Worker's old name", async () => {
    const renamed = join(folder, "renamed.toml")
    writeFileSync(renamed, toml.replace(/^name = .*$/m, 'name = "verdicts"'))
    const found = await find(good, { config: renamed }, true)
    expect(found.get("service WEBHOOK_DISPATCHER")).toMatch(/^fail: names another Worker/)
  })

  test("reports an unknown name in the settings file", async () => {
    const env = join(folder, "mistyped.env")
    writeFileSync(env, "CLIENT_IP_HEADRE=x-real-ip\nPROBE_RATE=5\n")
    const found = await find(good, { env }, true)
    expect(found.get("CLIENT_IP_HEADRE")).toMatch(/^warn: .* is not a setting/)
    expect(found.has("PROBE_RATE")).toBe(false)
  })

  test("never shows a value", async () => {
    const settings = {
      ...good,
      KEY_PEPPER: "short-secret",
      PROBE_NODES: '[{"id":"secret-node"}]',
      STRIPE_SECRET_KEY: "sk_1",
    }
    const output = JSON.stringify([...(await find(settings))])
    for (const value of ["short-secret", "secret-node", "sk_1", good.ADMIN_SECRET!]) expect(output).not.toContain(value)
  })

  test("reports the problem of a fresh database, of unknown nodes and of an HTTP/2-only resolver", async () => {
    const server = await startDatabaseServer(join(folder, "new"))
    closing.push(() => server.stop())
    const other = await generateKeyPair("node-1")
    const nodes = [
      { id: "liar", region: "eu", url: inject("nodeUrl"), public_keys: [other.publicKey] },
      { id: "gone", region: "eu", url: "https://127.0.0.1:1", public_keys: [other.publicKey] },
    ]
    const http2 = createHttp2Server().listen(0, "127.0.0.1")
    closing.push(() => http2.close())
    await once(http2, "listening")
    const resolver = `127.0.0.1:${(http2.address() as AddressInfo).port}`
    const changes = { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: server.authToken, PROBE_NODES: JSON.stringify(nodes) }
    const found = await find({ ...good, ...changes, DOH_URL: `http://${resolver}/dns-query` })
    expect(found.get(`resolver ${resolver}`)).toMatch(/^fail: .*HTTP\/1\.1/)
    expect(found.get("migrations")).toMatch(/^fail: (\d+) of \1 are not applied/)
    expect(found.get("node liar")).toMatch(/^fail: rejects our requests: check its public key/)
    expect(found.get("node gone")).toBe("fail: does not answer")
  })

  test("reports a refused token, and the pepper of another installation", async () => {
    const refused = await find({ ...good, LIBSQL_AUTH_TOKEN: "another" })
    expect(refused.get("database")).toMatch(/^fail: refuses LIBSQL_AUTH_TOKEN: set a valid token/)
    const other = await find({ ...good, KEY_PEPPER: "another pepper of at least 32 chars" })
    expect(other.get("installation")).toMatch(/^fail: the database belongs to an installation with another KEY_PEPPER/)
    const { signingKey } = await generateKeyPair("edge-9")
    const changed = await find({ ...good, EDGE_SIGNING_KEY: signingKey })
    expect(changed.get("installation")).toMatch(/^warn: EDGE_SIGNING_KEY is edge-9, and the service last used edge-1/)
  })

  test("reports a database that accepts no writes", async () => {
    const server = await startLibsqlServer({
      file: join(folder, "full.db"),
      host: "127.0.0.1",
      port: 0,
      authToken: "t",
    })
    closing.push(() => server.stop())
    await migrate({ url: server.url, authToken: "t" })
    await openDatabase({ url: server.url, authToken: "t" }).run(
      "CREATE TRIGGER no_writes BEFORE UPDATE ON installation BEGIN SELECT RAISE(FAIL, 'the disk is full'); END",
    )
    const found = await find({ ...good, LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: "t", PROBE_NODES: "[]" })
    expect(found.get("database writes")).toMatch(/^fail: are refused: .*the disk is full/)
    expect(found.get("installation")).toBe("ok: the database is new: the first request records it")
  })

  test("an older database is reported, without the advice to migrate it", async () => {
    const file = join(folder, "older.db")
    writeOlderDatabase(file)
    const server = await startLibsqlServer({ file, host: "127.0.0.1", port: 0, authToken: "t" })
    closing.push(() => server.stop())
    const found = await find({ ...good, LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: "t" })
    expect(found.get("migrations")).toMatch(/^fail: the database was created by an older version .* Use a new database/)
  })

  test("ignores customers' nodes: they do not replace a missing node of the operator", async () => {
    const server = await startDatabaseServer(join(folder, "own"))
    closing.push(() => server.stop())
    await migrate(server)
    const database = openDatabase(server)
    const { publicKey } = await generateKeyPair("node-1")
    await database.insert(fleetNodes).values({
      ...{ id: "theirs", region: "eu", url: "https://127.0.0.1:1", version: "1", capacity: 1, sourceIps: [] },
      ...{ publicKeys: [{ key: publicKey, notAfter: null }], accountId: "acc_1", enrolledAt: 1, updatedAt: 1 },
    })
    const found = await find({
      ...good,
      LIBSQL_URL: server.url,
      LIBSQL_AUTH_TOKEN: server.authToken,
      PROBE_NODES: "[]",
    })
    expect(found.has("node theirs")).toBe(false)
    expect(found.get("probe nodes")).toMatch(/^fail: there are none/)
  })
})
