import { spawnSync } from "node:child_process"
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openDataDir } from "../../../scripts/data/data-dir.ts"
import { type LocalSecrets, localSecrets } from "../../../scripts/data/data-files.ts"
import { migrate } from "../../../scripts/data/migrate.ts"
import { expectFreePorts, portsInUse } from "../../../scripts/dev/parts.ts"
import { problemsOf, withDerived, workerSettings } from "../../../scripts/dev/settings.ts"
import { readConfig } from "../../../src/env.ts"
import { Settings } from "../../../src/settings.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-settings-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let secrets: LocalSecrets
beforeAll(async () => {
  secrets = await localSecrets(folder)
})

const NODE = { id: "a", region: "eu", url: "https://probe.example.com", public_keys: [`node-1:${"A".repeat(43)}`] }

const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----\n"
const EMPTY = Object.fromEntries(Object.keys(Settings.shape).map((name) => [name, ""]))
const quiet = { usesDatabase: true, onNotice: () => undefined }

describe("settings of npm start", () => {
  test.each([
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["LIBSQL_PORT", "-1"],
    ["PROBE_PORT", "8625.5"],
    ["CRON_MINUTE_MS", "0"],
    ["SANDBOX", "no"],
    ["HOST", "0.0.0.0"],
    ["HOST", "::"],
    ["HOST", "192.168.1.5"],
    ["HOST", "mail.example.com"],
    ["SANDBOX_GREYLIST_SECONDS", "soon"],
    ["SANDBOX_LATENCY_MS", "1s"],
    ["SANDBOX_DNS_PORT", "dns"],
    ["LIMITS", "foo"],
    ["LIMITS", '{"gold":{"monthly_limit":1}}'],
    ["LIMITS", '{"unlimited":{"monthly_limit":1}}'],
    ["LIMITS", '{"free":{"per_month":1}}'],
    ["LIMITS", '{"free":{"monthly_limit":-1}}'],
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
  ])("%s=%s is reported by name", async (name, value) => {
    const problems = await problemsOf({ [name]: value }, secrets)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name}\\b.*: `))
  })

  test.each([
    {},
    { PORT: "0", CRON_MINUTE_MS: "500", SANDBOX: "0", LIMITS: "plans" },
    { PORT: "", LIBSQL_URL: "", DOH_URL: "", SANDBOX: "", CLIENT_IP_HEADER: "X-Real-IP" },
    { RDAP_BOOTSTRAP_URL: "", GRAVATAR_URL: "" },
    { LIMITS: '{"free":{"monthly_limit":1000,"rate_per_min":60},"pro":{"monthly_limit":null}}' },
    { HOST: "127.0.0.2" },
    { HOST: "::1" },
    { HOST: "localhost" },
    { HOST: "0.0.0.0", SANDBOX: "1" },
    { HOST: "0.0.0.0", SANDBOX: "0" },
    { STRIPE_PRICES: '{"starter":"price_1","pro":"price_2","enterprise":"price_3","credits_10000":"price_4"}' },
    { WEBHOOK_ALLOW_HOSTS: "Hooks.internal:8443, 10.0.0.5 [fd00::5]:8443", LIST_SOURCES: "[]" },
    { MAIL_FROM: "Mailverdict <sign-in@example.org>" },
    { GOOGLE_SERVICE_ACCOUNT: JSON.stringify({ client_email: "a@b.test", private_key: PEM }) },
    { PROBE_NODES: JSON.stringify([NODE, { ...NODE, id: "b" }]) },
  ])("%j are valid", async (settings) => {
    expect(await problemsOf(settings, secrets)).toEqual([])
  })

  test("BASE_URL may end in a slash", async () => {
    const made = {
      LIBSQL_URL: "http://127.0.0.1",
      KEY_PEPPER: secrets.keyPepper,
      EDGE_SIGNING_KEY: secrets.edge.signingKey,
    }
    const read = await readConfig({ ...made, BASE_URL: "https://api.example.com/" })
    expect(read).toMatchObject({ ok: true, config: { baseUrl: "https://api.example.com" } })
  })

  test("an empty setting counts as not set, except where an empty value switches a feature off", async () => {
    const made = { ...EMPTY, LIBSQL_URL: "http://127.0.0.1", BASE_URL: "https://api.example.com" }
    const keys = { KEY_PEPPER: secrets.keyPepper, EDGE_SIGNING_KEY: secrets.edge.signingKey }
    const read = await readConfig({ ...made, ...keys })
    const config = { listSources: [], mail: null, gravatarUrl: null, rdapBootstrapUrl: null, clientIpHeader: "" }
    expect(read).toMatchObject({ ok: true, config })
  })

  test("several problems are reported at once, keys included", async () => {
    const node = { ...NODE, public_keys: ["node-1"] }
    const wrong = { EDGE_SIGNING_KEY: "edge-1", PROBE_NODES: JSON.stringify([node]), DOH_URL: "nowhere", PORT: "abc" }
    const problems = await problemsOf(wrong, secrets)
    expect(problems.map((problem) => /^\w+/.exec(problem)![0]).sort()).toEqual(Object.keys(wrong).sort())
  })

  test("an empty value switches an external lookup off; other empty settings are ignored", () => {
    const given = { GRAVATAR_URL: "", RDAP_BOOTSTRAP_URL: "", DOH_URL: "", LIMITS: "plans", PORT: "1" }
    const others = { LIBSQL_WRITES: "16" }
    expect(workerSettings(given)).toEqual({ ...others, GRAVATAR_URL: "", RDAP_BOOTSTRAP_URL: "", LIMITS: "plans" })
  })

  test.each([
    [{}, "16"],
    [{ LIBSQL_WRITES: "3" }, "3"],
    [{ LIBSQL_URL: "http://127.0.0.1:8080" }, undefined],
    [{ LIBSQL_URL: "http://127.0.0.1:8080", LIBSQL_WRITES: "3" }, "3"],
  ])("%j: the own database server gets concurrent writes", (given, expected) => {
    expect(workerSettings(given).LIBSQL_WRITES).toBe(expected)
  })
})

test.each(["", "{", "null", '{"edge":{}}'])("a secrets file that contains %j is reported by name", async (text) => {
  const dataDir = mkdtempSync(join(folder, "data-"))
  writeFileSync(join(dataDir, "secrets.json"), text)
  await expect(localSecrets(dataDir)).rejects.toThrow(join(dataDir, "secrets.json"))
})

test("the secrets file is written completely, and read again", async () => {
  const dataDir = mkdtempSync(join(folder, "data-"))
  const made = await localSecrets(dataDir)
  expect(await localSecrets(dataDir)).toEqual(made)
  expect(readdirSync(dataDir)).toEqual(["secrets.json"])
})

test("unreadable secrets are not reported as damaged", async () => {
  const dataDir = mkdtempSync(join(folder, "unreadable-"))
  mkdirSync(join(dataDir, "secrets.json"))
  await expect(openDataDir(dataDir, quiet)).rejects.toThrow(/^DATA_DIR: EISDIR/)
})

test("a file of another user is reported before the start", () => {
  const dataDir = mkdtempSync("/tmp/mailverdict-owned-")
  const isRoot = process.getuid?.() === 0
  // Root may open any file, so the check runs as another user.
  const asNobody = isRoot ? "process.setgid(65534), process.setuid(65534)" : ""
  const script = `const { openDataDir } = await import(process.argv[1]); ${asNobody}
    await openDataDir(process.argv[2], { usesDatabase: true, onNotice() {} }).catch((error) => console.log(error.message))`
  const module = new URL("../../../scripts/data/data-dir.ts", import.meta.url).href
  const output = () =>
    spawnSync(process.execPath, ["--input-type=module", "-e", script, module, dataDir]).stdout.toString()
  if (isRoot) chownSync(dataDir, 65534, 65534)
  expect(output()).toBe("")
  writeFileSync(join(dataDir, "mailverdict.db"), "", { mode: 0o400 })
  expect(output()).toMatch(/^DATA_DIR: EACCES: permission denied, access '.*mailverdict\.db'/)
  rmSync(dataDir, { recursive: true })
})

describe("API_HOST", () => {
  const [API_HOST, PROBE_MAIL_FROM] = ["api.example.com", "probe@example.com"]
  const derived = { BASE_URL: "https://api.example.com", SANDBOX: "0", PROBE_HELO: API_HOST }

  test.each([
    ["nothing without it", { BASE_URL: "" }, { BASE_URL: "" }],
    ["a public service", { API_HOST }, { API_HOST, ...derived, CLIENT_IP_HEADER: "x-real-ip" }],
    ["what is empty", { API_HOST, BASE_URL: "" }, { API_HOST, ...derived, CLIENT_IP_HEADER: "x-real-ip" }],
    ["no header without a proxy", { API_HOST, HOST: "0.0.0.0" }, { API_HOST, HOST: "0.0.0.0", ...derived }],
    [
      "nothing that is given",
      { API_HOST, BASE_URL: "https://a.example.com", SANDBOX: "1", PROBE_HELO: "p.example.com", CLIENT_IP_HEADER: "" },
      { API_HOST, BASE_URL: "https://a.example.com", SANDBOX: "1", PROBE_HELO: "p.example.com", CLIENT_IP_HEADER: "" },
    ],
  ])("gives %s", (_, given, expected) => {
    expect(withDerived(given)).toEqual(expected)
  })

  test.each([
    [{ API_HOST, PROBE_MAIL_FROM }, []],
    [{ API_HOST, PROBE_NODES: "[]" }, []],
    [{ API_HOST }, [expect.stringMatching(/^PROBE_MAIL_FROM: set it/)]],
    [
      { API_HOST: "https://api.example.com", PROBE_MAIL_FROM },
      [expect.stringMatching(/^API_HOST: must be a host name/)],
    ],
  ])("%j", async (given, expected) => {
    const problems = (await problemsOf(withDerived(given), secrets)).filter((line) => !line.startsWith("BASE_URL"))
    expect(problems).toEqual(expected)
  })
})

describe("listening ports", () => {
  const settings = { LIBSQL_URL: "http://127.0.0.1", PROBE_NODES: "[]" }

  test.each(["PORT", "LIBSQL_PORT", "PROBE_PORT", "SANDBOX_SMTP_PORT", "SANDBOX_DNS_PORT", "SANDBOX_DOH_PORT"])(
    "a taken port is reported with %s and the process that holds it",
    async (name) => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve))
      const { port } = server.address() as { port: number }
      const given = { [name]: String(port) }
      const refused = expectFreePorts({ port: name === "PORT" ? port : 0, settings: given, sandbox: true })
      await expect(refused).rejects.toThrow(
        new RegExp(`^Port ${port} \\(\\w+\\) is taken: address already in use.*\n.*or set ${name} to another port`),
      )
      server.close()
    },
  )

  test("the ports in use are those that the parts listen on", () => {
    const sandbox = { smtpPort: 2525, dnsAddress: "127.0.0.1:5354", dohUrl: "http://127.0.0.1:8054/dns-query" }
    const urls = {
      url: "http://127.0.0.1:8787",
      databaseUrl: "http://127.0.0.1:8080",
      nodeUrl: "http://127.0.0.1:8625",
    }
    const all = { api: 8787, database: 8080, node: 8625, smtp: 2525, dns: 5354, doh: 8054 }
    expect(portsInUse({ ...urls, sandbox })).toEqual(all)
    const elsewhere = { ...urls, databaseUrl: "https://db.example.com", nodeUrl: "", sandbox: null }
    expect(portsInUse(elsewhere)).toEqual({ api: 8787 })
  })

  test.each([0, 8787])(
    "at port %i a host of another machine is reported by its setting, not as a taken port",
    async (port) => {
      const refused = expectFreePorts({ port, settings: { ...settings, HOST: "203.0.113.9" }, sandbox: false })
      await expect(refused).rejects.toThrow(/^HOST and PORT .*EADDRNOTAVAIL/)
    },
  )
})

test("an unreachable database is reported by its setting, without the SQL", async () => {
  // Port 2 is closed. `fetch` itself refuses port 1.
  const refused = migrate({ url: "http://127.0.0.1:2" })
  await expect(refused).rejects.toThrow(/^LIBSQL_URL: .*ECONNREFUSED/)
  await expect(refused).rejects.not.toThrow(/CREATE TABLE/)
})
