import { createSocket } from "node:dgram"
import { createServer, type Server } from "node:http"
import { connect } from "node:net"
import { buffer } from "node:stream/consumers"
import * as dns from "dns-packet"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Sandbox, startSandbox } from "../../scripts/sandbox/main.ts"

let sandbox: Sandbox
let upstream: Server
let upstreamCalls = 0

beforeAll(async () => {
  upstream = await startUpstream()
  const dead = "http://127.0.0.1:9/dns-query"
  sandbox = await start([dead, `http://127.0.0.1:${portOf(upstream)}/dns-query`])
})
afterAll(async () => {
  await sandbox?.stop()
  upstream?.close()
  upstream?.closeAllConnections()
})

const start = (urls: string[]) =>
  startSandbox({ smtpPort: 0, dnsPort: 0, dohPort: 0, greylistSeconds: 1, latencyMs: 0, upstream: urls })

describe("the zone is equal over UDP, TCP, DoH GET and DoH POST", () => {
  const cases: readonly [name: string, type: dns.RecordType, expected: string][] = [
    ["mailbox.test", "MX", "MX 10 mx.mailbox.test"],
    ["MailBox.Test", "MX", "MX 10 mx.mailbox.test"],
    ["mailbox.test", "TXT", "TXT v=spf1 mx -all|TXT sandbox-site-verification=42"],
    ["_dmarc.mailbox.test", "TXT", "TXT v=DMARC1; p=reject; rua=mailto:dmarc@inbox.test"],
    ["_domainkey.mailbox.test", "TXT", "NODATA until 60"],
    ["_domainkey.catch-all.test", "TXT", "NXDOMAIN until 60"],
    ["mx.mailbox.test", "A", "A 127.42.0.10"],
    ["mx.mailbox.test", "AAAA", "NODATA until 60"],
    ["mx.dual-stack.test", "AAAA", "AAAA 2001:db8::25"],
    ["10.0.42.127.in-addr.arpa", "PTR", "PTR mx.mailbox.test"],
    ["1.0.0.127.in-addr.arpa", "PTR", "PTR probe.mailverdict.test"],
    ["99.0.42.127.in-addr.arpa", "PTR", "NXDOMAIN until 60"],
    ["probe.mailverdict.test", "A", "A 127.0.0.1|A 127.0.0.2"],
    ["null-mx.test", "MX", "MX 0 ."],
    ["implicit-mx.test", "MX", "NODATA until 60"],
    ["implicit-mx.test", "A", "A 127.42.0.29"],
    ["alias.test", "MX", "CNAME mailbox.test|MX 10 mx.mailbox.test"],
    ["alias.test", "CNAME", "CNAME mailbox.test"],
    ["alias.test", "A", "CNAME mailbox.test|NODATA until 60"],
    ["dangling.test", "MX", "CNAME nothing-here.sandbox.test|NXDOMAIN until 60"],
    ["no-such-domain.test", "MX", "NXDOMAIN until 60"],
    ["servfail.test", "MX", "SERVFAIL"],
    ["www.servfail.test", "A", "SERVFAIL"],
    ["cname-loop.test", "A", "SERVFAIL"],
    ["test", "SOA", "SOA ns.sandbox.test"],
    ["d0000.test", "MX", "MX 10 mx00.bulk.test|MX 20 mx01.bulk.test"],
    ["d1999.test", "MX", "MX 10 mx19.bulk.test|MX 20 mx00.bulk.test"],
    ["d2000.test", "MX", "NXDOMAIN until 60"],
    ["mx19.bulk.test", "A", "A 127.42.0.219"],
  ]

  it.each(cases)("%s %s is %s", async (name, type, expected) => {
    const ways = { udp: askUdp, tcp: askTcp, get: askGet, post: askPost }
    const answers = await Promise.all(
      Object.entries(ways).map(async ([way, ask]) => [way, read(await ask(name, type))]),
    )
    expect(Object.fromEntries(answers)).toEqual({ udp: expected, tcp: expected, get: expected, post: expected })
  })

  it("returns the owner name in the requested letter case, and echoes question and id", async () => {
    const { id, questions, answers } = await askUdp("mAilBox.tEst", "MX")
    expect(id).toBe(4_711)
    expect(questions?.[0]).toMatchObject({ name: "mAilBox.tEst", type: "MX" })
    expect(answers?.[0]?.name).toBe("mAilBox.tEst")
  })

  it("logs each query with its transport and rcode", async () => {
    await askTcp("logged-once.test", "A")
    const [query] = sandbox.log().queries.filter(({ name }) => name === "logged-once.test")
    expect(query).toMatchObject({ via: "tcp", type: "A", rcode: 3 })
  })
})

describe("size of UDP answers", () => {
  it("sets TC for more than 512 bytes without EDNS, and TCP returns everything", async () => {
    const short = await askUdp("many-mx.test", "MX")
    expect([short.flag_tc, short.answers?.length]).toEqual([true, 0])
    const whole = await askTcp("many-mx.test", "MX")
    expect([whole.flag_tc, whole.answers?.length]).toEqual([false, 25])
  })

  it("respects the size of EDNS and answers with EDNS", async () => {
    const small = await askUdp("mailbox.test", "TXT", 1_232)
    expect(small.additionals?.map(({ type }) => type)).toEqual(["OPT"])
    expect(small.answers).toHaveLength(2)
    const many = await askUdp("many-mx.test", "MX", 4_096)
    expect(many.flag_tc || many.answers?.length === 25).toBe(true)
  })
})

describe("invalid or foreign queries", () => {
  it("gives no answer for dns-timeout.test over any transport", async () => {
    const queries = ["dns-timeout.test", "mailbox.test"].map((name) => question(name, "MX"))
    // The first answer is that of the second query.
    expect(read(await sendUdp(...queries.map((query) => dns.encode(query))))).toBe("MX 10 mx.mailbox.test")
    const [answer] = await sendTcp(1, Buffer.concat(queries.map((query) => dns.streamEncode(query))))
    expect(read(dns.decode(answer!))).toBe("MX 10 mx.mailbox.test")
    const stop = new AbortController()
    const asked = askPost("dns-timeout.test", "MX", stop.signal).catch((error: Error) => error.name)
    const unanswered = () => sandbox.log().queries.filter(({ via, rcode }) => via === "doh" && rcode === null)
    await expect.poll(unanswered).toMatchObject([{ name: "dns-timeout.test" }])
    await askPost("mailbox.test", "MX")
    stop.abort()
    expect(await asked).toBe("AbortError")
  })

  it.each([
    ["garbage by GET", () => fetch(`${sandbox.dohUrl}?dns=AAAA`), 400],
    ["no message by GET", () => fetch(sandbox.dohUrl), 400],
    ["JSON by POST", () => fetch(sandbox.dohUrl, { method: "POST", body: "{}" }), 415],
    ["another path", () => fetch(new URL("/other", sandbox.dohUrl)), 404],
  ])("answers %s with an HTTP error", async (_what, request, status) => {
    expect((await request()).status).toBe(status)
  })

  it("invalid packets on both ports do not stop the server", async () => {
    const socket = createSocket("udp4")
    socket.send(Buffer.from([1, 2, 3]), dnsPort())
    socket.send(Buffer.alloc(300, 0xff), dnsPort())
    const tcp = connect(dnsPort(), "127.0.0.1", () => tcp.end(Buffer.alloc(700, 0xff)))
    await new Promise((resolve) => tcp.once("close", resolve).resume())
    expect(read(await askUdp("mailbox.test", "MX"))).toBe("MX 10 mx.mailbox.test")
    socket.close()
  })

  it("a status query is NOTIMP, and a query without a question is FORMERR", async () => {
    const rcodeOf = async (packet: dns.Packet) => (await sendUdp(dns.encode(packet))).flags! & 0x0f
    expect(await rcodeOf({ ...question("mailbox.test", "MX"), flags: 2 << 11 })).toBe(4)
    expect(await rcodeOf({ type: "query", id: 4_711, questions: [] })).toBe(1)
  })
})

describe("names outside .test", () => {
  it("are answered by the first upstream that answers, with the id of the query", async () => {
    const answer = await askUdp("example.org", "A")
    expect(answer.id).toBe(4_711)
    expect(read(answer)).toBe("A 192.0.2.7")
    expect(read(await askGet("test.example", "A"))).toBe("A 192.0.2.7")
  })

  it("are not delayed by one name without an answer", async () => {
    expect(read(await askPost("slow.example", "A"))).toBe("SERVFAIL")
    expect(read(await askPost("example.org", "A"))).toBe("A 192.0.2.7")
  })

  it("under .test never leave the sandbox", async () => {
    const before = upstreamCalls
    await askPost("nobody-has-this.test", "MX")
    expect(upstreamCalls).toBe(before)
  })

  it("are SERVFAIL without an upstream", async () => {
    const alone = await start(["http://127.0.0.1:9/dns-query"])
    for (let n = 0; n < 5; n++) {
      const response = await fetch(
        `${alone.dohUrl}?dns=${dns.encode(question("example.org", "A")).toString("base64url")}`,
      )
      expect(read(dns.decode(Buffer.from(await response.arrayBuffer())))).toBe("SERVFAIL")
    }
    await alone.stop()
  })
})

function question(name: string, type: dns.RecordType, udpPayloadSize?: number): dns.Packet {
  const fixed = { name: ".", extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  const additionals: dns.OptAnswer[] = udpPayloadSize ? [{ type: "OPT", ...fixed, udpPayloadSize }] : []
  return {
    type: "query",
    id: 4_711,
    flags: dns.RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals,
  }
}

function askUdp(name: string, type: dns.RecordType, udpPayloadSize?: number): Promise<dns.DecodedPacket> {
  return sendUdp(dns.encode(question(name, type, udpPayloadSize)))
}

/** Sends messages at once. @returns the first answer */
function sendUdp(...messages: Buffer[]): Promise<dns.DecodedPacket> {
  const socket = createSocket("udp4").unref()
  return new Promise((resolve) => {
    socket.once("message", (answer) => {
      socket.close()
      resolve(dns.decode(answer))
    })
    for (const message of messages) socket.send(message, dnsPort())
  })
}

/** Two queries on one connection, the first of them in two pieces. */
async function askTcp(name: string, type: dns.RecordType): Promise<dns.DecodedPacket> {
  const message = dns.streamEncode(question(name, type))
  const answers = await sendTcp(2, message.subarray(0, 5), Buffer.concat([message.subarray(5), message]))
  expect(answers[1]).toEqual(answers[0])
  return dns.decode(answers[0]!)
}

/** Sends pieces one after the other on one connection. @returns the first answers */
async function sendTcp(count: number, ...pieces: Buffer[]): Promise<Buffer[]> {
  const socket = connect(dnsPort(), "127.0.0.1").setNoDelay().unref()
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
  const answers: Buffer[] = []
  let received = Buffer.alloc(0)
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk])
    while (received.length >= 2 && received.length >= received.readUInt16BE(0) + 2) {
      answers.push(received.subarray(2, received.readUInt16BE(0) + 2))
      received = received.subarray(received.readUInt16BE(0) + 2)
    }
    if (answers.length >= count) break
  }
  socket.destroy()
  return answers
}

async function askGet(name: string, type: dns.RecordType): Promise<dns.DecodedPacket> {
  return readHttp(await fetch(`${sandbox.dohUrl}?dns=${dns.encode(question(name, type)).toString("base64url")}`))
}

async function askPost(name: string, type: dns.RecordType, signal?: AbortSignal | number): Promise<dns.DecodedPacket> {
  return readHttp(
    await fetch(sandbox.dohUrl, {
      method: "POST",
      headers: { "content-type": "application/dns-message" },
      body: Uint8Array.from(dns.encode(question(name, type))),
      ...(signal instanceof AbortSignal ? { signal } : {}),
    }),
  )
}

async function readHttp(response: Response): Promise<dns.DecodedPacket> {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/dns-message"])
  return dns.decode(Buffer.from(await response.arrayBuffer()))
}

/** An answer in one line: its records, or for a negative one its cache time. */
function read({ flags = 0, answers = [], authorities = [] }: dns.DecodedPacket): string {
  const rcode = flags & 0x0f
  if (rcode === 2) return "SERVFAIL"
  const [soa] = authorities
  const until = soa?.type === "SOA" ? ` until ${Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0)}` : ""
  const ending = rcode === 3 ? [`NXDOMAIN${until}`] : until ? [`NODATA${until}`] : []
  return [...answers.map(readRecord), ...ending].join("|")
}

function readRecord(record: dns.Answer): string {
  if (record.type === "MX") return `MX ${record.data.preference} ${record.data.exchange}`
  if (record.type === "TXT") return `TXT ${[record.data].flat().join("")}`
  if (record.type === "SOA") return `SOA ${record.data.mname}`
  return `${record.type} ${"data" in record ? record.data : ""}`
}

function dnsPort(): number {
  return Number(sandbox.dnsAddress.split(":")[1])
}

/** A resolver with the same address for every name except one, which gets no answer. */
async function startUpstream(): Promise<Server> {
  const server = createServer(async (request, response) => {
    upstreamCalls++
    const { id = 0, questions = [] } = dns.decode(await buffer(request))
    const name = questions[0]!.name
    if (name === "slow.example") return
    const answer = dns.encode({ type: "response", id, questions, answers: [{ type: "A", name, data: "192.0.2.7" }] })
    response.writeHead(200, { "content-type": "application/dns-message" }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === "object" && address ? address.port : 0
}
