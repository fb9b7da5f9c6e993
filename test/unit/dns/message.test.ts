import packet, { type Answer, type Packet } from "dns-packet"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeQuery, questionName, type RecordType, readAnswer } from "../../../src/adapters/dns/message.ts"

const NAME = "example.test"
const IN = "IN" as const
const RECURSIVE = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE

/** A correct response to (example.test, type), with the given parts replaced. */
function response(type: RecordType, parts: Partial<Packet>): Uint8Array {
  return packet.encode({
    type: "response",
    id: 0,
    flags: RECURSIVE,
    questions: [{ name: NAME, type, class: IN }],
    ...parts,
  })
}

const a = (name: string, data = "192.0.2.1", ttl = 300): Answer => ({ name, type: "A", class: IN, ttl, data })
const cname = (name: string, data: string, ttl = 300): Answer => ({ name, type: "CNAME", class: IN, ttl, data })
const soa = (ttl: number, minimum: number): Answer => ({
  name: "test",
  type: "SOA",
  class: IN,
  ttl,
  data: { mname: "ns.test", rname: "h.test", serial: 1, refresh: 1, retry: 1, expire: 1, minimum },
})

test("a query has id 0, requests recursion and carries one question", () => {
  const query = packet.decode(Buffer.from(encodeQuery(NAME, "MX")))
  expect(query).toMatchObject({
    id: 0,
    flag_qr: false,
    flag_rd: true,
    questions: [{ name: NAME, type: "MX", class: IN }],
  })
})

const RECORDS: readonly [RecordType, unknown, unknown][] = [
  ["A", "192.0.2.1", "192.0.2.1"],
  ["AAAA", "2001:db8::1", "2001:db8::1"],
  ["MX", { preference: 10, exchange: "MX.Example.TEST" }, { preference: 10, host: "mx.example.test" }],
  ["MX", { preference: 0, exchange: "." }, { preference: 0, host: "." }],
  ["TXT", ["v=spf1 include:", "_spf.test -all"], "v=spf1 include:_spf.test -all"],
  ["TXT", [Buffer.from([0xc3]), Buffer.from([0xa9])], "é"],
  ["TXT", [""], ""],
  ["CNAME", "Target.test", "target.test"],
  ["PTR", "mail.example.test", "mail.example.test"],
  ["NS", "ns1.example.test", "ns1.example.test"],
]

test.each(RECORDS)("reads %s %j", (type, data, record) => {
  const answers = [{ name: "EXAMPLE.test", type, class: IN, ttl: 60, data } as Answer]
  expect(readAnswer(response(type, { answers }), NAME, type)).toEqual({
    kind: "records",
    records: [record],
    ttlSeconds: 60,
  })
})

describe("aliases", () => {
  test("are followed within the answer, in any order, with the smallest TTL of the chain", () => {
    const answers = [a("c.test", "192.0.2.7", 500), cname("b.test", "C.test", 20), cname(NAME, "B.test", 400)]
    expect(readAnswer(response("A", { answers }), NAME, "A")).toEqual({
      kind: "records",
      records: ["192.0.2.7"],
      ttlSeconds: 20,
      isAlias: true,
    })
  })

  test("in a loop are a failure", () => {
    const answers = [cname(NAME, "b.test"), cname("b.test", NAME)]
    expect(readAnswer(response("A", { answers }), NAME, "A")).toMatchObject({ reason: "cname_loop" })
  })

  test("without a target record are negative", () => {
    const parts = { answers: [cname(NAME, "b.test")], authorities: [soa(60, 60)] }
    expect(readAnswer(response("A", parts), NAME, "A")).toMatchObject({ kind: "no_data", isAlias: true })
    expect(readAnswer(response("A", { ...parts, flags: RECURSIVE | 3 }), NAME, "A")).toMatchObject({
      kind: "no_such_domain",
      isAlias: true,
    })
  })

  test("do not make records of unrelated names count", () => {
    const answers = [cname(NAME, "b.test"), a("evil.test"), a(NAME)]
    expect(readAnswer(response("A", { answers }), NAME, "A")).toMatchObject({ kind: "no_data" })
  })
})

describe("negative answers", () => {
  test.each([
    [soa(30, 600), 30],
    [soa(600, 30), 30],
  ])("live as long as the smaller of the SOA's TTL and minimum (RFC 2308 §5)", (authority, ttlSeconds) => {
    const bytes = response("MX", { flags: RECURSIVE | 3, authorities: [authority] })
    expect(readAnswer(bytes, NAME, "MX")).toEqual({ kind: "no_such_domain", ttlSeconds })
  })

  test("without a SOA are not cached", () => {
    expect(readAnswer(response("MX", {}), NAME, "MX")).toEqual({ kind: "no_data", ttlSeconds: 0 })
  })

  test("do not include referrals", () => {
    const authorities: Answer[] = [{ name: "test", type: "NS", class: IN, ttl: 60, data: "ns.test" }]
    expect(readAnswer(response("MX", { authorities }), NAME, "MX")).toMatchObject({ reason: "referral" })
  })
})

const question = (over: object) => ({ questions: [{ name: NAME, type: "A" as const, class: IN, ...over }] })
const REFUSED: readonly [string, Partial<Packet>, string][] = [
  ["another id", { id: 7 }, "mismatch"],
  ["a query", { type: "query" }, "mismatch"],
  ["another opcode", { flags: RECURSIVE | (2 << 11) }, "mismatch"],
  ["another name", question({ name: "other.test" }), "mismatch"],
  ["another type", question({ type: "MX" }), "mismatch"],
  ["another class", question({ class: "CH" }), "mismatch"],
  ["no question", { questions: [] }, "mismatch"],
  ["two questions", { questions: [...question({}).questions, ...question({}).questions] }, "mismatch"],
  ["a truncated answer", { flags: RECURSIVE | packet.TRUNCATED_RESPONSE }, "truncated"],
  ["SERVFAIL", { flags: RECURSIVE | 2 }, "servfail"],
  ["REFUSED", { flags: RECURSIVE | 5 }, "refused"],
  ["NOTIMP", { flags: RECURSIVE | 4 }, "other_rcode"],
  ["NXDOMAIN with records", { flags: RECURSIVE | 3 }, "malformed"],
]

test.each(REFUSED)("rejects %s even with a record", (_, parts, reason) => {
  const bytes = response("A", { answers: [a(NAME)], ...parts })
  expect(readAnswer(bytes, NAME, "A")).toMatchObject({ kind: "failure", reason })
})

test("ignores records of another class", () => {
  const answers: Answer[] = [{ ...a(NAME, "192.0.2.9"), class: "CH" } as Answer, a(NAME)]
  expect(readAnswer(response("A", { answers }), NAME, "A")).toMatchObject({ records: ["192.0.2.1"] })
})

test("ignores invalid MX hosts, and fails when none is left", () => {
  const mx = (exchange: string): Answer => ({
    name: NAME,
    type: "MX",
    class: IN,
    ttl: 60,
    data: { exchange, preference: 1 },
  })
  const bad = ["a b.test", "x\r\nRCPT TO:<y>.test", "<script>.test", "münchen.test"].map(mx)
  expect(readAnswer(response("MX", { answers: [...bad, mx("mx.test")] }), NAME, "MX")).toMatchObject({
    records: [{ host: "mx.test", preference: 1 }],
  })
  expect(readAnswer(response("MX", { answers: bad }), NAME, "MX")).toMatchObject({ reason: "unusable" })
})

test("a TTL with the top bit set counts as 0 (RFC 2181 §8)", () => {
  const bytes = response("A", { answers: [a(NAME, "192.0.2.1", 0x8000_0000)] })
  expect(readAnswer(bytes, NAME, "A")).toMatchObject({ kind: "records", ttlSeconds: 0 })
})

test("a message truncated at any position is malformed, never negative", () => {
  const bytes = response("A", { answers: [cname(NAME, "b.test"), a("b.test")] })
  for (let length = 0; length < bytes.length; length++)
    expect(readAnswer(bytes.subarray(0, length), NAME, "A"), `${length} bytes`).toMatchObject({ kind: "failure" })
})

test("random bytes never throw", () => {
  const good = response("MX", {
    answers: [{ name: NAME, type: "MX", class: IN, ttl: 1, data: { exchange: "mx.test" } }],
  })
  const noise = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(noise, (changes) => {
      const bytes = Uint8Array.from(good)
      for (const [at, value] of changes) bytes[at] = value
      const answer = readAnswer(bytes, NAME, "MX")
      if (answer.kind === "records") for (const { host } of answer.records) expect(host).toMatch(/^(\.|[a-z0-9._-]+)$/)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ["Example.TEST.", "example.test"],
  ["_dmarc.example.test", "_dmarc.example.test"],
  ["0/25.2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"],
  [`${"a".repeat(63)}.test`, `${"a".repeat(63)}.test`],
  [`${"a".repeat(64)}.test`, null],
  ["a..test", null],
  ["", null],
  ["back\\slash.test", null],
])("normalizes %j to %j", (text, name) => {
  expect(questionName(text)).toBe(name)
})
