import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest"
import { readCompose } from "../support/container/compose.ts"
import { type Container, createNetwork, type Network, startContainer } from "../support/container/container.ts"
import { buildImage, CADDY, type Image } from "../support/container/image.ts"
import { packLater } from "../support/container/later-release.ts"
import { unpackRelease } from "../support/container/release-once.ts"

const project = fileURLToPath(new URL("../..", import.meta.url))
const files = join(project, "scripts/self-hosting")
const settings = {
  // Caddy makes its own certificate for a name below localhost.
  API_HOST: "api.localhost",
  PROBE_MAIL_FROM: "probe@example.com",
}
const { api, caddy: caddyService } = readCompose(join(files, "compose.yaml"), settings).services
// As from the file .env. By default the node greets as API_HOST, and it refuses this one.
const apiService = { ...api!, environment: { ...api!.environment, PROBE_HELO: "probe1.example.com" } }

const folder = mkdtempSync(join(tmpdir(), "mailverdict-container-"))
const volume = join(folder, "volume")
let image: Image
let network: Network
const running: Container[] = []

beforeAll(() => {
  const release = join(folder, "release")
  unpackRelease(inject("releaseArchive"), release)
  for (const name of [".env", "admin_secret"]) writeFileSync(join(release, "scripts/self-hosting", name), "API_HOST=x")
  image = buildImage(release, join(folder, "image"))
  // An engine fills a new volume with what the image has at its path.
  execFileSync("cp", ["-a", join(image.root, "data"), volume])
  network = createNetwork()
}, 120_000)

afterAll(async () => {
  for (const container of running.splice(0)) await container.stop()
  network?.remove()
  execFileSync("rm", ["-rf", folder])
}, 120_000)

const UNTIL = { timeout: 120_000, interval: 500 }

/** Starts both services in the order of the compose file. */
async function up(): Promise<Container> {
  const api = await startContainer({ image, service: apiService, network, mounts: { "/data": volume } })
  running.push(api)
  await expect.poll(() => api.exec(...image.healthCheck).code, { ...UNTIL, message: "health" }).toBe(0)
  const mounts = { "/data": volume, "/etc/caddy/Caddyfile": join(files, "Caddyfile") }
  running.push(await startContainer({ image: CADDY, service: caddyService!, network, mounts }))
  await expect.poll(() => call("/openapi.json").code, UNTIL).toBe(0)
  return api
}

async function down(): Promise<(number | null)[]> {
  const codes: (number | null)[] = []
  for (const container of running.splice(0).toReversed()) codes.push(await container.stop())
  return codes
}

/** A call by HTTPS through Caddy. The certificate must be valid. */
function call(path: string, ...args: string[]) {
  const ca = join(volume, "caddy/pki/authorities/local/root.crt")
  return network.run("curl", "-fsS", "--max-time", "10", "--cacert", ca, ...args, `https://api.localhost${path}`)
}
const answer = (path: string, ...args: string[]) => JSON.parse(call(path, ...args).out) as Record<string, unknown>

test("the image holds what a release holds, in files that its account can only read", () => {
  const modules = readdirSync(join(image.root, "app/node_modules"))
  expect(modules).toContain("workerd")
  for (const name of ["typescript", "vite", "vitest", "wrangler", "esbuild", "node"])
    expect(modules).not.toContain(name)
  const app = join(image.root, "app")
  const find = (...args: string[]) => execFileSync("find", [app, ...args, "-print", "-quit"], { encoding: "utf8" })
  expect(find("!", "-type", "l", "!", "-perm", "-a+r")).toBe("")
  expect(find("!", "-type", "l", "(", "-perm", "/go+w", "-o", "!", "-user", "0", ")")).toBe("")
  expect(existsSync(join(app, "test"))).toBe(false)
  expect(readdirSync(join(app, "scripts/self-hosting")).toSorted()).toEqual(["health-check.ts", "node-version.cjs"])
})

test("a clone builds the image of the release, with the same bytes", () => {
  const clone = buildImage(project, join(folder, "clone"))
  // The build of a clone's image has no git, so it does not know the commit.
  const folders = [join(clone.root, "app"), join(image.root, "app")]
  const compared = spawnSync("diff", ["-rq", "-x", "release.json", ...folders], { encoding: "utf8" })
  expect(compared.stdout + compared.stderr).toBe("")
}, 420_000)

test("the service starts without a build, answers by HTTPS, stops in order and keeps its data", async () => {
  const api = await up()
  expect(api.log()).not.toContain("building")
  expect(answer("/validate/syntax?email=not-an-address")).toMatchObject({ valid: false })
  const { api_key } = answer("/keys", "--json", '{"name":"first","owner_email":"someone@example.com"}') as {
    api_key: string
  }
  const withKey = ["-H", `X-API-Key: ${api_key}`]
  call("/suppression/add", ...withKey, "--json", '{"email":"gone@example.com","reason":"manual"}')
  const secrets = readFileSync(join(volume, "mailverdict/secrets.json"), "utf8")
  const { adminSecret } = JSON.parse(secrets) as { adminSecret: string }
  expect(call("/admin/metrics", "-H", `X-Admin-Secret: ${adminSecret}`).out).toContain("mailverdict_probe_nodes")

  // The start waits some seconds for the node, which is unfit without a resolver.
  await vi.waitFor(() => expect(api.log()).toContain("running at"), 60_000)
  expect(await down()).toEqual([0, 0])
  expect(api.log()).toMatch(/SIGTERM: stopping".*"stopped"/s)
  await up()
  expect(readFileSync(join(volume, "mailverdict/secrets.json"), "utf8")).toBe(secrets)
  expect(call("/suppression", ...withKey).out).toContain("gone@example.com")
}, 400_000)

test("the processes have no rights, and each folder of the volume has one reader", () => {
  const [api, caddy] = running as [Container, Container]
  const status = (pid: number) => readFileSync(`/proc/${pid}/status`, "utf8")
  expect(status(api.pid)).toMatch(/^Uid:\s+1000\s+1000.*^CapPrm:\s+0+$.*^NoNewPrivs:\s+1$/ms)
  // Bit 10 is CAP_NET_BIND_SERVICE.
  expect(status(caddy.pid)).toMatch(/^CapEff:\s+0+400$.*^NoNewPrivs:\s+1$/ms)
  expect(api.exec("ls", "/data/caddy").out).toContain("Permission denied")
  expect(caddy.exec("ls", "/data/mailverdict").out).toContain("Permission denied")
  expect(api.exec("touch", "/app/x").out).toContain("Read-only file system")
  expect(statSync(join(volume, "mailverdict")).mode & 0o777).toBe(0o700)
})

test("only Caddy is reachable from other machines", () => {
  const listening = network.run("ss", "-Hltn").out.trim().split("\n")
  const addresses = listening.map((line) => line.split(/\s+/)[3]!)
  const open = addresses.filter((address) => !/^(127\.|\[::1\])/.test(address))
  expect(open.map((address) => address.split(":").at(-1)).toSorted()).toEqual(["443", "80"])
})

test("npm run update in the running container shows what an archive would change, and the host's command", () => {
  const [api] = running as [Container]
  const update = (...args: string[]) => api.exec("npm", "run", "-s", "update", "--", ...args)
  const sql = "CREATE TABLE later_things (id text PRIMARY KEY NOT NULL);"
  packLater(join(folder, "release"), { version: "9.1.0", sql, into: join(volume, "mailverdict") })
  const name = `mailverdict-9.1.0-linux-${process.arch}.tar.gz`
  const checked = update("--check", "--from", `/data/mailverdict/${name}`)
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^To {6}9\.1\.0 \(91000/m) })
  expect(checked.out).toContain("Migrations: 1, less than a second\n  0100_later: only new tables\n")
  const command = "sh /opt/mailverdict/scripts/self-hosting/update-container.sh"
  expect(checked.out.trimEnd().split("\n").slice(-2)).toEqual([
    "Nothing was changed. Update on the host, in the folder of the archive:",
    `  ${command} ${name}`,
  ])
  expect(update()).toEqual({ code: 1, out: `The files of an image do not change. Update on the host: ${command} …\n` })
}, 120_000)

test("a backup made in the running container can be restored with the service stopped", async () => {
  const [api] = running as [Container]
  const { out } = api.exec("npm", "run", "-s", "backup")
  const backup = /^Backed up to (\/data\/mailverdict\/backups\/\S+)\. /.exec(out)?.[1]
  expect({ out, backup }).toMatchObject({ backup: expect.any(String) })
  await down()
  const restoring = { ...image, entrypoint: ["npm", "run", "-s", "restore", "--", backup!] }
  const restore = await startContainer({ image: restoring, service: apiService, network, mounts: { "/data": volume } })
  expect({ code: await restore.ended, log: restore.log() }).toMatchObject({
    code: 0,
    log: expect.stringContaining("Restored"),
  })
  await up()
}, 400_000)
