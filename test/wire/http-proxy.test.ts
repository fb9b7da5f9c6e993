import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { enrolAtEdge } from "../../probe-node/commands/enrol-at-edge.ts"
import { checkClock } from "../../probe-node/doctor/clock-and-resolver.ts"
import type { DoctorDeps } from "../../probe-node/doctor/findings.ts"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { runCommand } from "../support/mail/node-command.ts"

let folder: string
const stops: (() => unknown)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-proxy-"))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0).toReversed()) await stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A proxy that connects each CONNECT to this local port, or answers 403 without one. */
async function startProxy(upstreamPort: number | null): Promise<{ url: string; connects: string[] }> {
  const connects: string[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer((_, response) => response.writeHead(405).end())
  proxy.on("connect", ({ url }, client) => {
    connects.push(String(url))
    sockets.add(client as Socket)
    client.on("error", () => undefined)
    if (upstreamPort === null) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    const upstream = connect(upstreamPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on("error", () => undefined)
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve)
  })
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connects }
}

const migrate = (env: Record<string, string>) =>
  runCommand({ file: join(process.cwd(), "scripts/data/migrate.ts"), folder, args: [], env })

test("a script reaches a remote database through the proxy", async () => {
  const database = await startLibsqlServer({ file: join(folder, "database.db"), port: 0 })
  stops.push(() => database.stop())
  const { url, connects } = await startProxy(Number(new URL(database.url).port))
  const done = await migrate({ HTTP_PROXY: url, LIBSQL_URL: "http://database.test:8080" })
  expect(done).toMatchObject({ code: 0, err: "" })
  expect(new Set(connects)).toEqual(new Set(["database.test:8080"]))
})

test("a script reaches this machine without the proxy", async () => {
  const database = await startLibsqlServer({ file: join(folder, "database.db"), port: 0 })
  stops.push(() => database.stop())
  const { url, connects } = await startProxy(null)
  expect(await migrate({ HTTP_PROXY: url, LIBSQL_URL: database.url })).toMatchObject({ code: 0, err: "" })
  expect(connects).toEqual([])
})

const ENROLMENT = {
  token: "t",
  id: "fra-1",
  region: "eu",
  url: "https://probe.example",
  public_key: "fra-1:AA",
  source_ips: [],
  capacity: 1,
  version: "1",
}

test("enrol uses the proxy, and reports its refusal", async () => {
  const { url, connects } = await startProxy(null)
  vi.stubEnv("HTTPS_PROXY", url)
  expect(await enrolAtEdge("https://edge.test", ENROLMENT)).toMatchObject({ ok: false })
  expect(connects).toEqual(["edge.test:443"])
})

test("enrol reaches a host in NO_PROXY without the proxy", async () => {
  const { url, connects } = await startProxy(null)
  vi.stubEnv("HTTPS_PROXY", url)
  vi.stubEnv("NO_PROXY", "127.0.0.1")
  expect(await enrolAtEdge("https://127.0.0.1:1", ENROLMENT)).toMatchObject({ ok: false })
  expect(connects).toEqual([])
})

test("a node's doctor reads the time through the proxy", async () => {
  const { url, connects } = await startProxy(null)
  vi.stubEnv("HTTPS_PROXY", url)
  const settings = { doctor: { clockUrls: ["https://clock.test/"] } } as unknown as DoctorDeps["settings"]
  const deps = { settings, now: Date.now, signal: new AbortController().signal } as DoctorDeps
  expect(await checkClock(deps)).toMatchObject([{ result: "unknown" }])
  expect(connects).toEqual(["clock.test:443"])
})
