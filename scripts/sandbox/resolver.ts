import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import type { Answer, DecodedPacket, Packet, Question } from "dns-packet"
import * as dns from "dns-packet"
import { lookUp, type ZoneAnswer } from "../../src/adapters/sandbox/zone-lookup.ts"
import { type Journal, onCommonPort, StoppableServer } from "./server-state.ts"

const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4 } as const

const OPCODE_MASK = 0x7800
const PLAIN_UDP_BYTES = 512 // RFC 1035 §4.2.1
const LARGEST_UDP_BYTES = 1_232 // fits without fragmentation (DNS flag day 2020)

/** Answers DNS messages: names in the zone locally, all others through the upstream resolver. */
export class Resolver {
  readonly #journal: Journal
  readonly #upstream: Upstream

  constructor({ journal, upstream }: { journal: Journal; upstream: Upstream }) {
    this.#journal = journal
    this.#upstream = upstream
  }

  /** Answers one message in wire format; null lets the client time out. */
  async answer(message: Buffer, via: "udp" | "tcp" | "doh"): Promise<Buffer | null> {
    const query = decode(message)
    if (!query || query.flag_qr) return null
    const [question] = query.questions ?? []
    if ((query.flags ?? 0) & OPCODE_MASK) return reply(query, { rcode: RCODE.notImp })
    if (!question || query.questions?.length !== 1) return reply(query, { rcode: RCODE.formErr })
    const answer = await this.#resolve(message, query, question)
    const rcode = answer && answer.readUInt8(3) & 0x0f
    this.#journal.query({ at: new Date().toISOString(), via, name: question.name, type: question.type, rcode })
    return answer && via === "udp" ? fitUdp(answer, query) : answer
  }

  async #resolve(message: Buffer, query: DecodedPacket, question: Question): Promise<Buffer | null> {
    const found = lookUp(question)
    if (found.kind === "silent") return null
    if (found.kind === "answer") return reply(query, found)
    return (await this.#upstream.query(message)) ?? reply(query, { rcode: RCODE.servFail })
  }
}

type Outcome = Omit<Partial<Extract<ZoneAnswer, { kind: "answer" }>>, "rcode"> & { readonly rcode: number }

function reply(query: DecodedPacket, { rcode, answers = [], authorities = [] }: Outcome): Buffer {
  const authoritative = rcode === RCODE.noError || rcode === RCODE.nxDomain ? dns.AUTHORITATIVE_ANSWER : 0
  const flags = ((query.flags ?? 0) & dns.RECURSION_DESIRED) | dns.RECURSION_AVAILABLE | authoritative | rcode
  return encode(query, { id: query.id ?? 0, flags, answers: [...answers], authorities: [...authorities] })
}

function encode({ questions = [], ...query }: DecodedPacket, fields: Packet): Buffer {
  const additionals = ednsSize(query) === null ? [] : [OPT]
  return dns.encode({ type: "response", questions, additionals, ...fields })
}

const OPT: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: LARGEST_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

/** Truncates an answer that exceeds a datagram and sets TC, so that the client retries over TCP. */
function fitUdp(answer: Buffer, query: DecodedPacket): Buffer {
  const limit = Math.min(Math.max(ednsSize(query) ?? PLAIN_UDP_BYTES, PLAIN_UDP_BYTES), LARGEST_UDP_BYTES)
  if (answer.length <= limit) return answer
  const { id = 0, flags = 0 } = dns.decode(answer)
  return encode(query, { id, flags: flags | dns.TRUNCATED_RESPONSE })
}

/** The payload size in an EDNS query (RFC 6891 §6.2.3); null for a query without EDNS. */
function ednsSize({ additionals = [] }: DecodedPacket): number | null {
  const opt = additionals.find((record) => record.type === "OPT")
  return opt?.type === "OPT" ? opt.udpPayloadSize : null
}

function decode(message: Buffer): DecodedPacket | null {
  try {
    return dns.decode(message)
  } catch {
    return null
  }
}

const TIMEOUT_MS = 1_500
/** Without any answer for SILENT_MS there is no network: queries then pause for PAUSE_MS, so that answers stay fast. */
const SILENT_MS = 30_000
const PAUSE_MS = 5_000
const LARGEST_ANSWER_BYTES = 65_535

/** Real DNS over HTTPS (RFC 8484) for names outside the sandbox. */
export class Upstream {
  readonly #urls: readonly string[]
  #pausedUntil = 0
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Queries the resolvers in turn. @returns null when none of them answers */
  async query(message: Buffer): Promise<Buffer | null> {
    if (performance.now() < this.#pausedUntil) return null
    for (const url of this.#urls) {
      const answer = await post(url, message)
      if (!answer) continue
      this.#answeredAt = performance.now()
      return answer
    }
    const now = performance.now()
    if (now - this.#answeredAt > SILENT_MS) this.#pausedUntil = now + PAUSE_MS
    return null
  }
}

async function post(url: string, message: Buffer): Promise<Buffer | null> {
  const body = Buffer.from(message)
  body.writeUInt16BE(0, 0) // RFC 8484 §4.1: id 0 lets HTTP caches share the answer
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/dns-message", accept: "application/dns-message" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer = Buffer.from(await response.arrayBuffer())
    if (!response.ok || answer.length < 12 || answer.length > LARGEST_ANSWER_BYTES) return null
    message.copy(answer, 0, 0, 2)
    return answer
  } catch {
    return null
  }
}

export interface DnsServer {
  readonly port: number
  stop(): Promise<void>
}

const HOST = "127.0.0.1"
const TCP_IDLE_MS = 10_000

/** Starts DNS over UDP and TCP on one port; 0 picks a port that is free for both. @throws Error EADDRINUSE */
export async function startDnsServer(port: number, resolver: Resolver): Promise<DnsServer> {
  return onCommonPort(port, async () => {
    const udp = createSocket("udp4")
    const tcp = new StoppableServer(createServer((socket) => serveTcp(socket, resolver)))
    const stop = async () => {
      await Promise.all([tcp.stop(), new Promise<void>((resolve) => udp.close(resolve))])
    }
    try {
      const common = await tcp.listen(port, HOST)
      await once(udp.bind(common, HOST), "listening")
      udp.on("message", async (message, { port, address }) => {
        const answer = await resolver.answer(message, "udp")
        if (answer) udp.send(answer, port, address, () => undefined)
      })
      return { port: common, stop }
    } catch (error) {
      await stop()
      throw error
    }
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
