import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import packet, { type Answer, type DecodedPacket } from "dns-packet"

const RCODE = { ok: 0, failed: 2, absent: 3 } as const
const PUBLIC = "192.0.2.1"

interface Reply {
  readonly rcode?: number
  readonly answers?: readonly Answer[]
}

const mx = (name: string, exchange: string, preference = 10): Answer => ({
  name,
  type: "MX",
  ttl: 60,
  data: { exchange, preference },
})
const a = (name: string, data: string): Answer => ({ name, type: "A", ttl: 60, data })
const cname = (name: string, data: string): Answer => ({ name, type: "CNAME", ttl: 60, data })

/** Answers by name. Other names are absent. */
const REPLIES: Readonly<Record<string, (name: string, type: string) => Reply>> = {
  "servfail.example": () => ({ rcode: RCODE.failed }),
  "no-host.example": (name, type) => (type === "MX" ? { answers: [mx(name, "gone.no-host.example")] } : {}),
  "gone.no-host.example": () => ({ rcode: RCODE.absent }),
  "crowd.example": (name, type) =>
    type === "MX" ? { answers: Array.from({ length: 512 }, (_, n) => mx(name, `mx${n}.crowd.example`, n)) } : {},
  "circle.example": (name) => ({ answers: [cname(name, "circle2.example"), cname("circle2.example", name)] }),
  "null-mx.example": (name, type) => (type === "MX" ? { answers: [mx(name, ".", 0)] } : {}),
  "loopback.example": (name, type) => (type === "MX" ? { answers: [mx(name, "lo.loopback.example")] } : {}),
  "lo.loopback.example": (name, type) => (type === "A" ? { answers: [a(name, "127.0.0.1")] } : {}),
  "private.example": (name, type) => (type === "MX" ? { answers: [mx(name, "ten.private.example")] } : {}),
  "ten.private.example": (name, type) => (type === "A" ? { answers: [a(name, "10.0.0.5")] } : {}),
  "metadata.example": (name, type) => (type === "MX" ? { answers: [mx(name, "md.metadata.example")] } : {}),
  "md.metadata.example": (name, type) => (type === "A" ? { answers: [a(name, "169.254.169.254")] } : {}),
  // Answers for another name than the requested one.
  "other-name.example": (_, type) => (type === "MX" ? { answers: [mx("mailbox.test", "mx.evil.example")] } : {}),
}

/** A resolver over HTTPS (RFC 8484) with harmful answers. */
export class FaultyResolver {
  readonly url: string
  /** The answer for names outside the table. */
  fault: "absent" | "garbage" | "too much" | "never" = "absent"
  readonly #stop: () => Promise<void>

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url
    this.#stop = stop
  }

  static async start(): Promise<FaultyResolver> {
    const server = createServer(async (request, response) => {
      const query = packet.decode(Buffer.concat(await request.toArray()))
      const bytes = resolver.#answer(query)
      if (bytes) response.setHeader("content-type", "application/dns-message").end(bytes)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`
    const resolver = new FaultyResolver(url, async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return resolver
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  #answer(query: DecodedPacket): Buffer | null {
    const question = query.questions![0]!
    const name = question.name.toLowerCase()
    const reply = REPLIES[name]?.(name, question.type)
    if (!reply && this.fault !== "absent") return this.#invalidAnswer(name)
    const isHost = /^mx\d+\.crowd\.example$/.test(name)
    const answers = reply?.answers ?? (isHost && question.type === "A" ? [a(name, PUBLIC)] : [])
    const rcode = reply?.rcode ?? (reply || isHost ? RCODE.ok : RCODE.absent)
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
    const soa: Answer = {
      name: "example",
      type: "SOA",
      ttl: 60,
      data: { mname: "ns.example", rname: "root.example", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 },
    }
    return packet.encode({
      ...{ type: "response", id: query.id ?? 0, flags, questions: [question], answers: [...answers] },
      authorities: answers.length > 0 ? [] : [soa],
    })
  }

  #invalidAnswer(name: string): Buffer | null {
    if (this.fault === "never") return null
    return this.fault === "garbage" ? Buffer.from(name.repeat(9)) : Buffer.alloc(5_000_000, 1)
  }
}
