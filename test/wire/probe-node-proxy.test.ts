import { createConnection, createServer, type Server, type Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { serveMailHosts } from "../support/mail/mail-hosts.ts"
import { brief, probe } from "../support/mail/probe-engine.ts"
import type { Script } from "../support/mail/smtp-script.ts"

const ANNA = ["anna@a.test"]
const GOOD: Script = { mailboxes: ["anna"] }

const servers: { close(): unknown }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

describe("through a SOCKS5 proxy", () => {
  /** A proxy that opens every connection, or answers with this code. */
  async function startProxy(answer = 0): Promise<{ port: number; reached: string[] }> {
    const reached: string[] = []
    const sockets = new Set<Socket>()
    const server: Server = createServer((client) => {
      sockets.add(client)
      client.on("error", () => undefined)
      client.once("data", () => {
        client.write(Uint8Array.of(5, 0))
        client.once("data", (request) => {
          const address = [...request.subarray(4, 8)].join(".")
          reached.push(`${address}:${request.readUInt16BE(8)}`)
          client.write(Uint8Array.of(5, answer, 0, 1, 0, 0, 0, 0, 0, 0))
          if (answer !== 0) return client.end()
          const upstream = createConnection({ host: address, port: request.readUInt16BE(8) })
          sockets.add(upstream)
          upstream.on("error", () => undefined)
          client.pipe(upstream).pipe(client)
        })
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve)
    })
    servers.push({
      close: () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    })
    const bound = server.address()
    return { port: typeof bound === "object" && bound ? bound.port : 0, reached }
  }

  test("a probe connects, and reports the proxy as its source", async () => {
    const { port, reached } = await startProxy()
    const { engine, mx, started } = await serveMailHosts(servers, [GOOD], {
      proxy: { host: "127.0.0.1", port, credentials: null },
    })
    const [line] = await probe(engine, { to: ANNA, controls: ["q@a.test"], mx })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt 550"])
    expect(line!.session?.sourceIp).toBe("socks5:127.0.0.1")
    expect(reached).toEqual([`127.0.4.1:${started[0]!.port}`])
  })

  test.each([
    [1, "connect proxy"],
    [4, "connect unreachable"],
    [5, "connect refused"],
  ])("its answer %i gives the right failure", async (answer, outcome) => {
    const { port } = await startProxy(answer)
    const { engine, mx } = await serveMailHosts(servers, [GOOD], {
      proxy: { host: "127.0.0.1", port, credentials: null },
    })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(brief(line!.outcome)).toBe(outcome)
  })

  test("an unreachable proxy is a proxy failure", async () => {
    const { engine, mx } = await serveMailHosts(servers, [GOOD], {
      proxy: { host: "127.0.0.1", port: 1, credentials: null },
    })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(brief(line!.outcome)).toBe("connect proxy")
  })
})
