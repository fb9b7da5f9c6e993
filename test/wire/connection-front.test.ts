import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, expect, onTestFinished, test } from "vitest"
import type { Caps } from "../../scripts/dev/connection-caps.ts"
import { startConnectionFront } from "../../scripts/dev/connection-front.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-front-"))
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const ROOMY: Caps = { total: 1_000, perNetwork: 1_000 }
const echo = (socket: Socket) => void socket.pipe(socket)

interface Settings {
  readonly caps?: Caps
  readonly ready?: () => Promise<unknown>
  readonly times?: Parameters<typeof startConnectionFront>[0]["times"]
}

/** A front before a server that `serve` defines. */
async function startFront(serve: (socket: Socket) => void, settings: Settings = {}) {
  const { caps = ROOMY, ready = async () => null, times = {} } = settings
  const socketPath = join(folder, `${servers.length}.sock`)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined)
    serve(socket)
  })
  servers.push(server)
  server.listen(socketPath)
  await once(server, "listening")
  const log: string[] = []
  const onLog = (line: string) => void log.push(line)
  const front = await startConnectionFront({ host: "0.0.0.0", port: 0, caps, socketPath, ready, onLog, times })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= front.stop(0)
    return stopped
  }
  onTestFinished(stop)
  return { port: front.port, stop, log }
}

/** Each address of this machine is a network of its own. */
function open(port: number, from: string): Socket {
  return connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true }).on("error", () => undefined)
}

/** Whether the echo comes back. A refused connection is closed instead. */
function isServed(socket: Socket): Promise<boolean> {
  socket.write("x")
  return new Promise((resolve) => {
    socket.once("data", () => resolve(true))
    socket.once("close", () => resolve(false))
  })
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())))
}

test("a network over its cap is refused at once, another is served, and a closed connection makes room", async () => {
  const front = await startFront(echo, { caps: { total: 100, perNetwork: 3 } })
  const held = [1, 2, 3].map(() => open(front.port, "127.0.1.1"))
  for (const socket of held) expect(await isServed(socket)).toBe(true)
  expect(await isServed(open(front.port, "127.0.1.1"))).toBe(false)
  expect(await isServed(open(front.port, "127.0.1.1"))).toBe(false)
  expect(await isServed(open(front.port, "127.0.1.2"))).toBe(true)
  held[0]!.destroy()
  await expect.poll(() => isServed(open(front.port, "127.0.1.1"))).toBe(true)
  // The first refusal is logged at once, the others a minute later, and no line has an address.
  expect(front.log.map((line) => JSON.parse(line))).toEqual([
    { event: "connections_refused", over_network_cap: 1, over_total: 0, replaced: 0 },
  ])
})

test("one network cannot use up the sum: its oldest connection makes room for another network", async () => {
  const front = await startFront(echo, { caps: { total: 6, perNetwork: 6 } })
  const held = Array.from({ length: 6 }, () => open(front.port, "127.0.1.1"))
  for (const socket of held) expect(await isServed(socket)).toBe(true)
  expect(await isServed(open(front.port, "127.0.2.1"))).toBe(true)
  await closed(held[0]!)
  expect(await isServed(held[1]!)).toBe(true)
  expect(await isServed(open(front.port, "127.0.1.1"))).toBe(false)
})

test("a caller that reads nothing stops the server behind, and holds up no other caller", async () => {
  const chunk = Buffer.alloc(65_536)
  const WHOLE = 64 * 2 ** 20
  const sent: number[] = []
  const front = await startFront((socket) => {
    const id = sent.push(0) - 1
    const send = () => {
      while (sent[id]! < WHOLE && socket.write(chunk)) sent[id]! += chunk.length
      if (sent[id]! < WHOLE) sent[id]! += chunk.length
      else socket.end()
    }
    socket.on("drain", send)
    send()
  })
  const idle = open(front.port, "127.0.1.1").pause()
  idle.write("request")
  await expect.poll(() => sent[0]).toBeGreaterThan(0)
  let received = 0
  const busy = open(front.port, "127.0.1.1").on("data", ({ length }) => {
    received += length
  })
  busy.write("request")
  await once(busy, "end")
  expect(received).toBeGreaterThanOrEqual(WHOLE)
  // The buffers of two sockets and one chunk.
  expect(sent[0]).toBeLessThan(WHOLE / 2)
  idle.destroy()
})

test("a caller may end its side and wait for the answer", async () => {
  const front = await startFront((socket) => void text(socket).then((got) => socket.end(`got ${got}`)))
  const caller = open(front.port, "127.0.1.1")
  caller.end("all")
  expect(await text(caller)).toBe("got all")
  await closed(caller)
})

test.each<[string, (socket: Socket) => void]>([
  ["leaves", (socket) => socket.destroy()],
  ["resets the connection", (socket) => socket.resetAndDestroy()],
])("a caller that %s ends the connection behind", async (_, leave) => {
  const behind = Promise.withResolvers<Socket>()
  const front = await startFront((socket) => {
    behind.resolve(socket)
    echo(socket)
  })
  const caller = open(front.port, "127.0.1.1")
  expect(await isServed(caller)).toBe(true)
  leave(caller)
  await closed(await behind.promise)
})

test("a caller that still sends gets its answer, and cannot keep the connection after it", async () => {
  const front = await startFront(
    (socket) => void socket.once("data", () => socket.end("too long", () => socket.destroy())),
    { times: { lingerMs: 200 } },
  )
  const caller = open(front.port, "127.0.1.1")
  const answer = text(caller)
  caller.write("a long body")
  expect(await answer).toBe("too long")
  await expect
    .poll(() => {
      caller.write("more")
      return caller.destroyed
    })
    .toBe(true)
})

test("callers wait while the server behind restarts, and are let go when it does not", async () => {
  const restart = Promise.withResolvers<void>()
  const waiting = await startFront(echo, { ready: () => restart.promise })
  const served = isServed(open(waiting.port, "127.0.1.1"))
  restart.resolve()
  expect(await served).toBe(true)
  const failed = await startFront(echo, { ready: () => Promise.reject(new Error("cannot be restarted")) })
  expect(await isServed(open(failed.port, "127.0.1.1"))).toBe(false)
})

test("a stop accepts no more callers and ends the open connections", async () => {
  const front = await startFront(echo)
  const held = open(front.port, "127.0.1.1")
  expect(await isServed(held)).toBe(true)
  const stopping = front.stop()
  await closed(held)
  await stopping
  const late = connect(front.port, "127.0.0.1")
  expect(await once(late, "error")).toMatchObject([{ code: "ECONNREFUSED" }])
})

test("an answer before the end of a long body is passed on, and the rest of the body is discarded", async () => {
  const front = await startFront(
    (socket) => void socket.once("data", () => socket.end("too long", () => socket.destroy())),
  )
  const body = Buffer.alloc(16 * 2 ** 20)
  const answers = Array.from({ length: 20 }, async (_, n) => {
    const caller = open(front.port, `127.0.${n}.1`)
    caller.end(body)
    return text(caller)
  })
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["too long"]))
})

test("a flood of one network delays the request of another by a few requests", async () => {
  const order: string[] = []
  const unanswered: (() => void)[] = []
  const front = await startFront(
    (socket) => {
      socket.on("data", (chunk: Buffer) => {
        order.push(chunk.toString())
        unanswered.push(() => socket.write("answer"))
      })
    },
    // Only an answer ends a turn.
    { caps: { total: 1_000, perNetwork: 900 }, times: { holdMs: 600_000 } },
  )
  const flood = Array.from({ length: 200 }, () => open(front.port, "127.0.1.1"))
  const other = open(front.port, "127.0.2.1")
  await Promise.all([...flood, other].map((socket) => once(socket, "connect")))
  for (const socket of flood) socket.write("flood")
  await expect.poll(() => order.length).toBe(8)
  other.write("other")
  const answering = setInterval(() => unanswered.shift()?.(), 1)
  onTestFinished(() => clearInterval(answering))
  await once(other, "data")
  // Without turns, all 200 would come first.
  expect(order.indexOf("other")).toBeLessThan(100)
  await expect.poll(() => order.length).toBe(201)
})
