import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { startWorkerHost, type WorkerHost, waitForNode } from "../../scripts/dev/worker-host.ts"

/** Calls a URL by a named binding, both from the query. A POST waits for its whole body. The classes exist because wrangler.toml names them. */
const CALLER = `
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers"
export class KeyGate extends DurableObject {}
export class Flight extends DurableObject {}
export class WebhookDispatcher extends WorkerEntrypoint {}
export default {
  scheduled() {},
  async fetch(request, bindings) {
    if (request.method === "POST") return new Response(await request.text())
    const { searchParams } = new URL(request.url)
    const binding = bindings[searchParams.get("by")]
    if (!binding) return new Response("no such binding")
    return binding.fetch(searchParams.get("url")).then(
      (response) => response,
      () => new Response("not reached"),
    )
  },
}`

const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-host-"))
const held = Promise.withResolvers<ServerResponse>()
const inside = createServer(({ url }, response) => {
  if (url === "/held") held.resolve(response)
  else response.end("a service of this machine")
})
let worker: WorkerHost
let startLog: string[] = []
const log: string[] = []
const caps = { total: 100, perNetwork: 20 }

beforeAll(async () => {
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve))
  const script = join(dataDir, "caller.mjs")
  writeFileSync(script, CALLER)
  const onLog = (line: string) => void log.push(line)
  worker = await startWorkerHost({ host: "127.0.0.1", port: 0, caps, script, stateDir: dataDir, vars: {}, onLog })
  await fetch(worker.url)
  startLog = [...log]
})
afterAll(async () => {
  await worker?.stop()
  inside.close().closeAllConnections()
  rmSync(dataDir, { recursive: true, force: true })
})

async function call(by: string, host: string, path = "/"): Promise<string> {
  const url = `http://${host}:${(inside.address() as AddressInfo).port}${path}`
  return (await fetch(`${worker.url}/?${new URLSearchParams({ by, url })}`)).text()
}

// workerd itself resolves the name, because a name server may answer our own query differently.
test.each(["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"])("%s is reachable by OUTBOUND only", async (host) => {
  expect(await call("OUTBOUND_PUBLIC", host)).toBe("not reached")
  expect(await call("OUTBOUND", host)).toBe("a service of this machine")
})

test("a successful start logs no failures", () => expect(startLog).toEqual([]))

test("a network whose bodies never end is refused above its cap, and another network gets its answers", async () => {
  const port = Number(new URL(worker.url).port)
  const stall = () => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.1.1" }).on("error", () => undefined)
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\na")
    return socket
  }
  const held = Array.from({ length: caps.perNetwork }, stall)
  await Promise.all(held.map((socket) => once(socket, "connect")))
  const refused = stall()
  await new Promise((resolve) => refused.once("close", resolve))
  expect(await call("OUTBOUND", "127.0.0.1")).toBe("a service of this machine")
  expect(held.filter(({ closed }) => closed)).toEqual([])
  held[0]!.write("bcdefghij")
  expect(String((await once(held[0]!, "data"))[0])).toContain("abcdefghij")
  for (const socket of held) socket.destroy()
})

test("a call that comes while workerd restarts waits for it", async () => {
  const killed = workerdOf(process.pid)
  process.kill(killed, "SIGKILL")
  await expect.poll(() => log.join("\n")).toContain("restarting it")
  expect(await call("OUTBOUND", "127.0.0.1")).toBe("a service of this machine")
  expect(workerdOf(process.pid)).not.toBe(killed)
})

test("a request in progress when the host stops gets its answer", async () => {
  const answer = call("OUTBOUND", "127.0.0.1", "/held")
  const response = await held.promise
  const idle = connect(Number(new URL(worker.url).port), "127.0.0.1").resume()
  idle.write("GET / HTTP/1.1\r\nhost: idle.test\r\n\r\n")
  await once(idle, "data")
  const stopped = worker.stop()
  // A host that stops closes its idle connections.
  await once(idle, "close")
  response.end("what was under way")
  expect(await answer).toBe("what was under way")
  await stopped
})

test("the wait for a node survives a broken answer and one that is no JSON", async () => {
  const bodies = ["", "<h1>502</h1>", '{"probe_nodes":0}', '{"probe_nodes":1}']
  const service = createServer((request, response) => {
    const body = bodies.shift()
    if (body) response.end(body)
    else request.socket.destroy()
  })
  await once(service.listen(0, "127.0.0.1"), "listening")
  await waitForNode(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
  service.close().closeAllConnections()
  expect(bodies).toEqual([])
})
