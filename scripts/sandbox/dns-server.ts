import { createSocket, type Socket as UdpSocket } from "node:dgram"
import { createServer, type Socket } from "node:net"
import type { Resolver } from "./resolver.ts"
import { StoppableServer } from "./stoppable-server.ts"

export interface DnsServer {
  readonly port: number
  stop(): Promise<void>
}

const HOST = "127.0.0.1"
const ATTEMPTS = 8
const TCP_IDLE_MS = 10_000

/** Starts DNS over UDP and TCP on one port; 0 picks a port that is free for both. @throws Error EADDRINUSE */
export async function startDnsServer(port: number, resolver: Resolver): Promise<DnsServer> {
  for (let attempt = 1; ; attempt++) {
    const udp = createSocket("udp4")
    const tcp = new StoppableServer(createServer((socket) => serveTcp(socket, resolver)))
    try {
      const common = await tcp.listen(port, HOST)
      await bind(udp, common)
      serveUdp(udp, resolver)
      return { port: common, stop: () => Promise.all([tcp.stop(), close(udp)]).then(() => undefined) }
    } catch (error) {
      await Promise.all([tcp.stop(), close(udp)])
      const { code } = error as NodeJS.ErrnoException
      if (code !== "EADDRINUSE" || port !== 0 || attempt >= ATTEMPTS) throw error
    }
  }
}

function serveUdp(udp: UdpSocket, resolver: Resolver): void {
  udp.on("message", async (message, { port, address }) => {
    const answer = await resolver.answer(message, "udp")
    if (answer) udp.send(answer, port, address, () => undefined)
  })
}

/** Serves messages with a length prefix, several per connection (RFC 7766 §8). */
function serveTcp(socket: Socket, resolver: Resolver): void {
  let received = Buffer.alloc(0)
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy())
  socket.on("error", () => socket.destroy())
  socket.on("data", async (chunk) => {
    received = Buffer.concat([received, chunk])
    const messages: Buffer[] = []
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0)
      messages.push(received.subarray(2, end))
      received = received.subarray(end)
    }
    for (const message of messages) {
      const answer = await resolver.answer(message, "tcp")
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer?.length ?? 0)
      if (answer && !socket.destroyed) socket.write(Buffer.concat([length, answer]))
    }
  })
}

function bind(udp: UdpSocket, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    udp.once("error", reject)
    udp.bind(port, HOST, () => {
      udp.off("error", reject)
      resolve()
    })
  })
}

function close(udp: UdpSocket): Promise<void> {
  return new Promise((resolve) => udp.close(resolve))
}
