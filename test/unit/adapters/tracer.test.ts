import { describe, expect, test } from "vitest"
import { createTracer, tracedDns, tracedProbes, tracedRoundTrip } from "../../../src/adapters/tracing.ts"
import { Settings } from "../../../src/settings.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
  readonly status: object
}

const START = 1_795_248_000_000

/** A tracer whose clock moves 5 ms at each read, and the requests of its collector. */
function world({ ratio = 1, answer = 200 }: { ratio?: number; answer?: number | Error } = {}) {
  const sent: { url: string; headers: unknown; spans: SentSpan[] }[] = []
  const logged: [string, object][] = []
  const background: Promise<unknown>[] = []
  let now = START
  let byte = 0
  const tracer = createTracer(
    { url: "https://otlp.example.com/base/", headers: { "x-token": "t" }, ratio },
    {
      clock: { now: () => (now += 5), sleep: async () => undefined },
      log: (event, fields) => logged.push([event, fields]),
      // The first four bytes are the sampling value: 0x80… is one half.
      randomBytes: (n) => Uint8Array.from({ length: n }, () => (byte++ === 0 ? 0x80 : byte)),
      background: (work) => background.push(work),
      async fetch(url, { body, headers }) {
        if (answer instanceof Error) throw answer
        const [{ scopeSpans }] = JSON.parse(String(body)).resourceSpans
        sent.push({ url, headers, spans: scopeSpans[0].spans })
        return new Response(null, { status: answer })
      },
    },
  )
  const settle = async () => {
    while (background.length > 0) await background.shift()
  }
  return { tracer, sent, logged, settle }
}

const fieldsOf = ({ attributes }: SentSpan) => Object.fromEntries(attributes.map(({ key, value }) => [key, value]))

describe("a traced request", () => {
  test("is one span with children, sent together as OTLP JSON", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    const child = tracer.start("store", { "db.system.name": "sqlite" })
    child.end()
    root.set({ "http.response.status_code": 200, share: 0.5, ok: true })
    root.end("ok", "GET /validate")
    await settle()
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      url: "https://otlp.example.com/base/v1/traces",
      headers: { "x-token": "t", "content-type": "application/json" },
    })
    const [store, request] = sent[0]!.spans as [SentSpan, SentSpan]
    expect(request).toMatchObject({ name: "GET /validate", kind: 2, status: {} })
    expect(request.traceId).toMatch(/^[\da-f]{32}$/)
    expect(request.spanId).toMatch(/^[\da-f]{16}$/)
    expect(request).not.toHaveProperty("parentSpanId")
    expect(request.startTimeUnixNano).toBe(`${START + 5}000000`)
    expect(BigInt(request.endTimeUnixNano)).toBeGreaterThan(BigInt(request.startTimeUnixNano))
    expect(fieldsOf(request)).toEqual({
      "http.response.status_code": { intValue: "200" },
      share: { doubleValue: 0.5 },
      ok: { boolValue: true },
    })
    expect(store).toMatchObject({ kind: 3, traceId: request.traceId, parentSpanId: request.spanId })
    expect(fieldsOf(store)).toEqual({ "db.system.name": { stringValue: "sqlite" } })
  })

  test("joins the caller's trace; an invalid traceparent is ignored", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for (const [traceparent, joins] of [
      [`00-${trace}-00f067aa0ba902b7-00`, true],
      [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, false],
      [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, false],
      ["rubbish", false],
    ] as const) {
      const { tracer, sent, settle } = world()
      tracer.begin("request", traceparent).end()
      await settle()
      const [span] = sent[0]!.spans
      expect(span!.traceId === trace, traceparent).toBe(joins)
      expect(span!.parentSpanId, traceparent).toBe(joins ? "00f067aa0ba902b7" : undefined)
    }
  })

  test("spans that end after the response are sent too, once", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    const late = tracer.start("probe")
    root.end()
    root.end("error")
    await settle()
    late.end()
    await settle()
    expect(sent.map(({ spans }) => spans.map(({ name }) => name))).toEqual([["request"], ["probe"]])
  })

  test("has at most 500 children", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    for (let i = 0; i < 700; i++) tracer.start("dns lookup").end()
    root.end()
    await settle()
    expect(sent[0]!.spans).toHaveLength(501)
  })

  test.each([
    [503, { status: 503 }],
    [new Error("connection refused"), { error: "connection refused" }],
  ])("a collector that fails (%s) is only logged", async (answer, fields) => {
    const { tracer, logged, settle } = world({ answer })
    tracer.begin("request").end()
    await settle()
    expect(logged).toEqual([["traces_not_sent", fields]])
  })
})

describe("which requests are traced", () => {
  test.each([
    [0, false],
    [0.5, false],
    [0.51, true],
    [1, true],
  ])("a ratio of %d with a sampling value of one half: %s", (ratio, expected) => {
    const { tracer } = world({ ratio })
    expect(tracer.isOn).toBe(expected)
  })

  test("without a collector no request is traced, and untraced adapters stay unwrapped", async () => {
    const off = createTracer(null, {} as never)
    off.begin("request").end()
    const dns = dnsZone({})
    expect(off.isOn).toBe(false)
    expect(tracedDns(dns, off)).toBe(dns)
    expect(await tracedRoundTrip(off)(async () => 7)).toBe(7)
  })
})

describe("measured work", () => {
  test("lookups: the type and the kind of answer, never the name", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    const dns = tracedDns(dnsZone({ "secret.test": { A: ["192.0.2.1"] }, "ill.test": "servfail" }), tracer)
    await dns.resolve("secret.test", "A")
    await dns.resolve("ill.test", "MX")
    root.end()
    await settle()
    const [good, bad] = sent[0]!.spans
    expect(fieldsOf(good!)).toEqual({
      "dns.question.type": { stringValue: "A" },
      "mailverdict.dns.answer": { stringValue: "records" },
    })
    expect(bad!.status).toEqual({ code: 2 })
    expect(JSON.stringify(sent)).not.toContain("secret")
  })

  test("probes: until the last line is read", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    const probes = {
      count: async () => 1,
      probe: async () => ({
        kind: "lines" as const,
        lines: (async function* () {
          yield {} as never
          yield {} as never
        })(),
      }),
      owner: async () => null,
    }
    const request = { groups: [{ recipients: [1, 2] }, { recipients: [3] }] } as never
    const answer = await tracedProbes(probes, tracer).probe(request, { accountId: null })
    if (answer.kind === "lines") for await (const line of answer.lines) expect(line).toBeDefined()
    root.end()
    await settle()
    expect(fieldsOf(sent[0]!.spans[0]!)).toEqual({
      "mailverdict.probe.recipients": { intValue: "3" },
      "mailverdict.probe.lines": { intValue: "2" },
    })
  })

  test("round trips to the database, also failed ones", async () => {
    const { tracer, sent, settle } = world()
    const root = tracer.begin("request")
    const failing = tracedRoundTrip(tracer)(() => Promise.reject(new Error("down")))
    await expect(failing).rejects.toThrow("down")
    root.end()
    await settle()
    expect(sent[0]!.spans[0]).toMatchObject({ name: "store", status: { code: 2 } })
  })
})

describe("OTEL_EXPORTER_OTLP_HEADERS", () => {
  const read = (text: string) => Settings.shape.OTEL_EXPORTER_OTLP_HEADERS.safeParse(text)

  test.each([
    ["", {}],
    ["Authorization=Bearer%20a%3Db", { authorization: "Bearer a=b" }],
    ["a=1, b=2,", { a: "1", b: "2" }],
  ])("%j", (text, expected) => {
    expect(read(text).data).toEqual(expected)
  })

  test.each(["novalue", "a b=c", "a=%zz"])("%j is rejected", (text) => {
    expect(read(text).success).toBe(false)
  })
})
