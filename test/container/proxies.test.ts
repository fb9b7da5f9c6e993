import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readCompose } from "../support/container/compose.ts"
import {
  type Container,
  createNetwork,
  type Limits,
  type Network,
  startContainer,
} from "../support/container/container.ts"
import { CADDY, type Image, NGINX, nodeImage } from "../support/container/image.ts"

/** The shipped configuration of each proxy, before a server that answers with the address in X-Real-IP. */
const files = fileURLToPath(new URL("../../scripts/self-hosting", import.meta.url))
const crowd = fileURLToPath(new URL("../support/container/crowd.ts", import.meta.url))
const SERVER = `require("node:http").createServer((request, response) => {
  request.resume().once("end", () => response.end(request.headers["x-real-ip"]))
}).listen(8787, "127.0.0.1")
process.once("SIGTERM", () => process.exit())`
const settings = { API_HOST: "api.localhost", PROBE_HELO: "probe1.example.com", PROBE_MAIL_FROM: "probe@example.com" }
const { caddy } = readCompose(join(files, "compose.yaml"), settings).services
const LIMITS: Limits = {
  ...{ environment: {}, read_only: false, tmpfs: [], security_opt: [] },
  cap_drop: ["ALL"],
  // nginx starts as root and gives up its rights itself.
  cap_add: ["NET_BIND_SERVICE", "SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE"],
}
const CAP = 256

const folder = mkdtempSync(join(tmpdir(), "mailverdict-proxies-"))
let network: Network
let server: Container
let proxy: Container | undefined

beforeAll(async () => {
  network = createNetwork()
  const image = { ...nodeImage(join(folder, "server")), entrypoint: ["node", "-e", SERVER] }
  server = await startContainer({ image, service: LIMITS, network, mounts: {} })
}, 120_000)
afterAll(async () => {
  await proxy?.stop()
  await server?.stop()
  network?.remove()
  execFileSync("rm", ["-rf", folder])
}, 60_000)

async function startProxy(image: Image, service: Limits, mounts: Readonly<Record<string, string>>): Promise<void> {
  await proxy?.stop()
  proxy = await startContainer({ image, service, network, mounts })
  await expect.poll(() => network.run("curl", "-fsSk", "https://api.localhost/").code, { timeout: 60_000 }).toBe(0)
}

function holdConnections(): unknown {
  const { code, out } = network.run(process.execPath, crowd, String(CAP))
  return code === 0 ? JSON.parse(out) : out
}

test("Caddy: the kernel refuses a network's connections above the cap, and another network gets its answer", async () => {
  expect(network.run("nft", "-f", join(files, "connections.nft"))).toEqual({ code: 0, out: "" })
  mkdirSync(join(folder, "data/caddy"), { recursive: true })
  await startProxy(CADDY, caddy!, { "/data": join(folder, "data"), "/etc/caddy/Caddyfile": join(files, "Caddyfile") })
  expect(holdConnections()).toEqual({ same: "refused", other: "200 127.0.0.2", refused: 300 - CAP })
  // It can be loaded again, for example by a service at the start of the machine.
  expect(network.run("nft", "-f", join(files, "connections.nft"))).toEqual({ code: 0, out: "" })
}, 180_000)

test("nginx: it refuses a network's requests above the cap, and another network gets its answer", async () => {
  network.run("nft", "flush", "ruleset")
  const subject = ["-subj", "/CN=api.localhost", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  execFileSync("openssl", ["req", "-x509", ...curve, ...subject], { stdio: "ignore" })
  const at = /ssl_certificate (.*)\/fullchain.pem;/.exec(readFileSync(join(files, "nginx.conf"), "utf8"))![1]!
  await startProxy(NGINX, LIMITS, {
    "/etc/nginx/conf.d/mailverdict.conf": join(files, "nginx.conf"),
    [`${at}/fullchain.pem`]: join(folder, "cert.pem"),
    [`${at}/privkey.pem`]: join(folder, "key.pem"),
  })
  expect(proxy!.exec("nginx", "-t").out).toContain("test is successful")
  const got = holdConnections()
  expect(got).toMatchObject({ same: expect.stringMatching(/^429 /), other: "200 127.0.0.2", refused: 300 - CAP })
}, 180_000)
