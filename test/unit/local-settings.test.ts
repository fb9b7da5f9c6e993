import { spawnSync } from "node:child_process"
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openDataDir } from "../../scripts/data-dir.ts"
import { problemsOf, workerSettings } from "../../scripts/local-settings.ts"
import { migrate } from "../../scripts/migrate.ts"
import { expectFreePorts } from "../../scripts/ports.ts"
import { type LocalSecrets, localSecrets } from "../../scripts/secrets.ts"
import { readConfig } from "../../src/env.ts"
import { Settings } from "../../src/settings.ts"
import { freeHost } from "../support/webhook-receiver.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-settings-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let secrets: LocalSecrets
beforeAll(async () => {
  secrets = await localSecrets(folder)
})

const NODE = { id: "a", region: "eu", url: "https://probe.example.com", public_keys: [`node-1:${"A".repeat(43)}`] }

const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----\n"
const EMPTY = Object.fromEntries(Object.keys(Settings.shape).map((name) => [name, ""]))

describe("settings of npm start", () => {
  test.each([
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["LIBSQL_PORT", "-1"],
    ["PROBE_PORT", "8625.5"],
    ["CRON_MINUTE_MS", "0"],
    ["SANDBOX", "no"],
    ["SANDBOX_GREYLIST_SECONDS", "soon"],
    ["SANDBOX_LATENCY_MS", "1s"],
    ["LIMITS", "foo"],
    ["LIBSQL_URL", "nowhere"],
    ["KEY_PEPPER", "short"],
    ["DOH_URL", "nowhere"],
    ["PROBE_NODES", "none"],
    ["PROBE_NODES", JSON.stringify([NODE, NODE])],
    ["EDGE_SIGNING_KEY", "none"],
    ["CLIENT_IP_HEADER", "x real ip"],
    ["STRIPE_PRICES", '{"busines":"price_1"}'],
    ["STRIPE_PRICES", '{"credits_10k":"price_1"}'],
    ["STRIPE_PRICES", '{"credits_1000000000":"price_1"}'],
    ["LIST_SOURCES", "https://example.org/domains.txt"],
    ["LIST_SOURCES", '[{"name":"one","class":"spam","url":"https://example.org/domains.txt"}]'],
    ["WEBHOOK_ALLOW_HOSTS", "https://hooks.internal:8443"],
    ["FLEET_ALLOW_HOSTS", "10.0.0.5:8625,10.0.0.0/8"],
    ["ZAPIER_HOSTS", "*.zapier.com"],
    ["MAIL_FROM", "Mailverdict"],
    ["GOOGLE_SERVICE_ACCOUNT", JSON.stringify({ client_email: "a@b.test", private_key: PEM.replaceAll("\n", "\\n") })],
  ])("%s=%s is told by its name before anything starts", async (name, value) => {
    const problems = await problemsOf({ [name]: value }, secrets)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name}\\b.*: `))
  })

  test.each([
    {},
    { PORT: "0", CRON_MINUTE_MS: "500", SANDBOX: "0", LIMITS: "plans" },
    { PORT: "", LIBSQL_URL: "", DOH_URL: "", SANDBOX: "", CLIENT_IP_HEADER: "X-Real-IP" },
    { RDAP_BOOTSTRAP_URL: "", GRAVATAR_URL: "" },
    { STRIPE_PRICES: '{"starter":"price_1","pro":"price_2","enterprise":"price_3","credits_10000":"price_4"}' },
    { WEBHOOK_ALLOW_HOSTS: "Hooks.internal:8443, 10.0.0.5 [fd00::5]:8443", LIST_SOURCES: "[]" },
    { MAIL_FROM: "Mailverdict <sign-in@example.org>" },
    { GOOGLE_SERVICE_ACCOUNT: JSON.stringify({ client_email: "a@b.test", private_key: PEM }) },
    { PROBE_NODES: JSON.stringify([NODE, { ...NODE, id: "b" }]) },
  ])("%j are fit", async (settings) => {
    expect(await problemsOf(settings, secrets)).toEqual([])
  })

  test("links lead where BASE_URL says, also where it ends in a slash", async () => {
    const made = {
      LIBSQL_URL: "http://127.0.0.1",
      KEY_PEPPER: secrets.keyPepper,
      EDGE_SIGNING_KEY: secrets.edge.signingKey,
    }
    const read = await readConfig({ ...made, BASE_URL: "https://api.example.com/" })
    expect(read).toMatchObject({ ok: true, config: { baseUrl: "https://api.example.com" } })
  })

  test("what a deploy leaves empty is not set, but for what an empty value switches off", async () => {
    const made = { ...EMPTY, LIBSQL_URL: "http://127.0.0.1", BASE_URL: "https://api.example.com" }
    const keys = { KEY_PEPPER: secrets.keyPepper, EDGE_SIGNING_KEY: secrets.edge.signingKey }
    const read = await readConfig({ ...made, ...keys })
    const config = { listSources: [], mail: null, gravatarUrl: null, rdapBootstrapUrl: null, clientIpHeader: "" }
    expect(read).toMatchObject({ ok: true, config })
  })

  test("what is wrong with several is told at once, keys among them", async () => {
    const node = { ...NODE, public_keys: ["node-1"] }
    const wrong = { EDGE_SIGNING_KEY: "edge-1", PROBE_NODES: JSON.stringify([node]), DOH_URL: "nowhere", PORT: "abc" }
    const problems = await problemsOf(wrong, secrets)
    expect(problems.map((problem) => /^\w+/.exec(problem)![0]).sort()).toEqual(Object.keys(wrong).sort())
  })

  test("an empty value switches a look-up elsewhere off, and else counts as none", () => {
    const given = { GRAVATAR_URL: "", RDAP_BOOTSTRAP_URL: "", DOH_URL: "", LIMITS: "plans", PORT: "1" }
    expect(workerSettings(given)).toEqual({ GRAVATAR_URL: "", RDAP_BOOTSTRAP_URL: "", LIMITS: "plans" })
  })
})

test.each(["", "{", "null", '{"edge":{}}'])("a secrets file that says %j is told by its name", async (text) => {
  const dataDir = mkdtempSync(join(folder, "data-"))
  writeFileSync(join(dataDir, "secrets.json"), text)
  await expect(localSecrets(dataDir)).rejects.toThrow(join(dataDir, "secrets.json"))
})

test("secrets are written whole or not at all", async () => {
  const dataDir = mkdtempSync(join(folder, "data-"))
  const made = await localSecrets(dataDir)
  expect(await localSecrets(dataDir)).toEqual(made)
  expect(readdirSync(dataDir)).toEqual(["secrets.json"])
})

test("secrets that cannot be read are not called damaged", async () => {
  const dataDir = mkdtempSync(join(folder, "unreadable-"))
  mkdirSync(join(dataDir, "secrets.json"))
  await expect(openDataDir(dataDir)).rejects.toThrow(/^DATA_DIR: EISDIR/)
})

test("what another user's start has left is told before anything starts", () => {
  const dataDir = mkdtempSync("/tmp/mailverdict-owned-")
  const isRoot = process.getuid?.() === 0
  // Root may do anything: whether a file is somebody else's shows only to others.
  const asNobody = isRoot ? "process.setgid(65534), process.setuid(65534)" : ""
  const script = `const { openDataDir } = await import(process.argv[1]); ${asNobody}
    await openDataDir(process.argv[2]).catch((error) => console.log(error.message))`
  const module = new URL("../../scripts/data-dir.ts", import.meta.url).href
  const told = () =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script, module, dataDir]).stdout.toString()
  if (isRoot) chownSync(dataDir, 65534, 65534)
  expect(told()).toBe("")
  writeFileSync(join(dataDir, "mailverdict.db"), "", { mode: 0o400 })
  expect(told()).toMatch(/^DATA_DIR: EACCES: permission denied, access '.*mailverdict\.db'/)
  rmSync(dataDir, { recursive: true })
})

describe("where to listen", () => {
  const settings = { LIBSQL_URL: "http://127.0.0.1", PROBE_NODES: "[]" }

  test("a port that is taken is told as that", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    await expect(expectFreePorts({ port, settings, sandbox: false })).rejects.toThrow(
      /is taken: address already in use/,
    )
    server.close()
  })

  test.each([0, 8787])(
    "at port %i a host of another machine is told by its setting, not as a taken port",
    async (port) => {
      const refused = expectFreePorts({ port, settings: { ...settings, HOST: "203.0.113.9" }, sandbox: false })
      await expect(refused).rejects.toThrow(/^HOST and PORT .*EADDRNOTAVAIL/)
    },
  )
})

test("a database that does not answer is told by its setting, without a statement", async () => {
  const refused = migrate({ url: `http://${await freeHost()}` })
  await expect(refused).rejects.toThrow(/^LIBSQL_URL: .*ECONNREFUSED/)
  await expect(refused).rejects.not.toThrow(/CREATE TABLE/)
})
