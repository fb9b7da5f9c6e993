import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { type Answer, decode, encode, type Packet, TRUNCATED_RESPONSE } from "dns-packet"
import { afterEach, expect, test } from "vitest"
import { createResolver } from "../../probe-node/smtp/route.ts"
import { freePort } from "../../scripts/dev/parts.ts"
import { firstSettled } from "../support/deps/first-settled.ts"

interface Zone {
  /** Records by "name TYPE". A name without any does not exist. */
  readonly records: Readonly<Record<string, readonly string[]>>
  /** Names answered over UDP with the truncation bit only. */
  readonly truncated?: readonly string[]
  readonly failing?: readonly string[]
  /** Queries, "name TYPE", without an answer. The callback runs on a retry. */
  readonly ignored?: Readonly<Record<string, () => void>>
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Starts a DNS server on UDP and TCP of the same port, and records its queries. */
async function startDns({
  records,
  truncated = [],
  failing = [],
  ignored = {},
}: Zone): Promise<{ address: string; queries: string[] }> {
  const queries: string[] = []
  const reply = (query: Packet, transport: "udp" | "tcp"): Packet => {
    const { name, type } = query.questions![0]!
    queries.push(`${transport} ${name} ${type}`)
    const response = { type: "response", id: query.id, questions: query.questions! } as const
    if (transport === "udp" && truncated.includes(name)) return { ...response, flags: TRUNCATED_RESPONSE }
    if (failing.includes(name)) return { ...response, flags: 2 }
    const found = records[`${name} ${type}`] ?? []
    const exists = Object.keys(records).some((key) => key.startsWith(`${name} `))
    const answers = found.map((data) => ({ type, name, data, ttl: 60, class: "IN" }) as Answer)
    return { ...response, flags: exists ? 0 : 3, answers }
  }
  const tcp = createServer((socket: Socket) => {
    socket.on("error", () => undefined)
    socket.on("data", (data) => {
      const bytes = encode(reply(decode(data.subarray(2)), "tcp"))
      socket.write(Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes]))
    })
  })
  // No client's UDP socket has it.
  const port = await freePort("127.0.0.1")
  await once(tcp.listen(port, "127.0.0.1"), "listening")
  const udp = createSocket("udp4")
  udp.on("message", (data, { address, port: from }) => {
    const query = decode(data)
    const { name, type } = query.questions![0]!
    const onRetry = ignored[`${name} ${type}`]
    const isRetry = queries.includes(`udp ${name} ${type}`)
    const answer = encode(reply(query, "udp"))
    if (!onRetry) udp.send(answer, from, address)
    else if (isRetry) onRetry()
  })
  await once(udp.bind(port, "127.0.0.1"), "listening")
  stops.push(() => {
    udp.close()
    tcp.close()
  })
  return { address: `127.0.0.1:${port}`, queries }
}

test("returns IPv4 before IPv6 addresses, and caches them", async () => {
  const { address, queries } = await startDns({
    records: { "mx.test A": ["203.0.113.1", "203.0.113.2"], "mx.test AAAA": ["2001:db8::1"] },
  })
  const resolver = createResolver(address)
  const [first, second] = await Promise.all([resolver.addresses("mx.test"), resolver.addresses("mx.test")])
  expect(first).toEqual({ kind: "addresses", addresses: ["203.0.113.1", "203.0.113.2", "2001:db8::1"] })
  expect(second).toEqual(first)
  await resolver.addresses("mx.test")
  expect(queries.toSorted()).toEqual(["udp mx.test A", "udp mx.test AAAA"])
})

test("retries over TCP when the answer is truncated", async () => {
  const { address, queries } = await startDns({ records: { "mx.test A": ["203.0.113.1"] }, truncated: ["mx.test"] })
  expect(await createResolver(address).addresses("mx.test")).toEqual({ kind: "addresses", addresses: ["203.0.113.1"] })
  expect(queries).toContain("tcp mx.test A")
})

test.each([
  ["a name that does not exist", "gone.test", "ENOTFOUND"],
  ["a name without addresses", "text.test", "ENODATA"],
  ["a server that fails", "broken.test", "ESERVFAIL"],
])("reports %s", async (_, name, detail) => {
  const { address } = await startDns({ records: { "text.test TXT": [] }, failing: ["broken.test"] })
  expect(await createResolver(address).addresses(name)).toEqual({ kind: "none", detail })
})

test("does not wait for IPv6 when the name servers ignore AAAA queries", async () => {
  const retried = Promise.withResolvers<void>()
  const { address } = await startDns({
    records: { "mx.test A": ["203.0.113.1"] },
    ignored: { "mx.test AAAA": retried.resolve },
  })
  const found = Promise.resolve(createResolver(address).addresses("mx.test"))
  expect(await firstSettled({ found, "second query": retried.promise })).toBe("found")
  expect(await found).toEqual({ kind: "addresses", addresses: ["203.0.113.1"] })
})

test("returns an IP address unchanged, without a query", async () => {
  const { address, queries } = await startDns({ records: {} })
  const resolver = createResolver(address)
  expect(await resolver.addresses("203.0.113.9")).toEqual({ kind: "addresses", addresses: ["203.0.113.9"] })
  expect(queries).toEqual([])
})
