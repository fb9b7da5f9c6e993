import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { type Listener, listenersOf } from "../support/stack/listening-ports.ts"

const PER_MINUTE = 20
const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-door-"))
let stack: Stack
let apiPort: number

beforeAll(async () => {
  stack = await startStack({
    port: 0,
    dataDir,
    sandbox: true,
    settings: { ANONYMOUS_PER_MINUTE: String(PER_MINUTE) },
    build: false,
    onLog: () => undefined,
    onStep: () => undefined,
  })
  apiPort = Number(new URL(stack.url).port)
})
afterAll(async () => {
  await stack?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Sends bytes to a listener, and then the end of the stream. @returns the reply until the listener ends its side too */
function exchange({ host, port }: Listener, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.end(bytes))
    let received = ""
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      received += text
    })
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? undefined : reject(error)))
    socket.on("close", () => resolve(received))
  })
}

/** Headers that control a development server in front of a Worker. */
const STEERING = {
  "MF-Original-URL": "http://x/health",
  "MF-CF-Blob": "x",
  "MF-Route-Override": "mailverdict",
  "MF-Custom-Service": "mailverdict",
  "MF-Disable-Pretty-Error": "1",
  "MF-Op": "GET",
  "MF-Proxy-Shared-Secret": "00",
  "CF-Worker": "mailverdict",
}

describe("the public port", () => {
  test("is not workerd's: workerd itself listens on no port", () => {
    expect(listenersOf(workerdOf(process.pid))).toEqual([])
    expect(listenersOf(process.pid)).toContainEqual({ host: "127.0.0.1", port: apiPort })
  })

  test.each(Object.entries(STEERING))("ignores the header %s", async (name, value) => {
    const plain = await fetch(`${stack.url}/plans`)
    const steered = await fetch(`${stack.url}/plans`, { headers: { [name]: value } })
    expect({ status: steered.status, body: await steered.text() }).toEqual({
      status: 200,
      body: await plain.text(),
    })
  })

  test("serves files with their type and validator, and 304 for a matching validator", async () => {
    const types = {
      "/openapi.json": "application/json",
      "/docs": "text/html; charset=utf-8",
      "/console/": "text/html; charset=utf-8",
      "/docs/reference.css": "text/css; charset=utf-8",
      "/docs/scalar.js": /^(text|application)\/javascript/,
    }
    for (const [path, type] of Object.entries(types)) {
      const first = await fetch(stack.url + path)
      expect([path, first.status]).toEqual([path, 200])
      expect(first.headers.get("content-type")).toMatch(type)
      const etag = first.headers.get("etag")!
      expect(etag).toMatch(/^(W\/)?".+"$/)
      const again = await fetch(stack.url + path, { headers: { "if-none-match": etag } })
      expect([path, again.status, await again.text()]).toEqual([path, 304, ""])
    }
    expect((await fetch(`${stack.url}/docs/none.css`)).status).toBe(404)
  })

  test("a caller's own address headers do not reset its limit", async () => {
    const statuses: number[] = []
    for (let n = 0; n <= PER_MINUTE; n++) {
      const address = `203.0.113.${n}`
      const headers = {
        "cf-connecting-ip": address,
        "x-forwarded-for": address,
        "x-real-ip": address,
        "mf-cf-blob": JSON.stringify({ clientIp: `${address}:1` }),
      }
      const answer = await fetch(`${stack.url}/validate/quick?email=user${n}@mailbox.test`, { headers })
      statuses.push(answer.status)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})

test("no listening socket of any part accepts CONNECT, and the API continues to answer", async () => {
  const pids = [workerdOf(process.pid), ...stack.children.map(({ pid }) => pid)]
  const listeners = [{ host: "127.0.0.1", port: apiPort }, ...pids.flatMap(listenersOf)]
  expect(listeners.length).toBeGreaterThan(3)
  const targets = ["miniflare-unsafe-internal-capnp-connect", "127.0.0.1:25", `127.0.0.1:${apiPort}`]
  const exchanges = targets.flatMap((target) =>
    listeners.map(async (listener) => {
      const answer = await exchange(listener, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
      return { ...listener, target, answer }
    }),
  )
  const accepted = (await Promise.all(exchanges)).filter(({ answer }) => /^HTTP\/1\.\d 2/.test(answer))
  expect(accepted).toEqual([])
  expect((await fetch(`${stack.url}/health`)).status).toBe(200)
})
