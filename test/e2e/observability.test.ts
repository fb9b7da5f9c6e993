import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { type StubServer, startStub } from "../support/providers/stub-server.ts"
import { call, callUnchecked } from "../support/stack/api.ts"

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

describe("traces", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-traces-"))
  const bodies: string[] = []
  const tokens: (string | undefined)[] = []
  let collector: StubServer
  let stack: Stack

  beforeAll(async () => {
    collector = await startStub(({ path, headers, body }) => {
      if (path !== "/v1/traces") return { status: 404 }
      bodies.push(body)
      tokens.push(headers["x-token"])
      return { status: 200, json: {} }
    })
    stack = await startStack({
      port: 0,
      dataDir,
      sandbox: true,
      settings: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-token=a%20b",
        OTEL_TRACES_SAMPLER_ARG: "1",
        CRON_MINUTE_MS: "1000",
      },
      build: false,
      onLog: () => undefined,
      onStep: () => undefined,
    })
  })
  afterAll(async () => {
    await stack?.stop()
    await collector?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const spans = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as SentSpan[])

  test("a verification is one trace of request, DNS, probe and store, without addresses", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    await fetch(`${stack.url}/validate?email=alice@mailbox.test`, { headers })
    const ours = () => spans().filter((span) => span.traceId === traceId)
    const names = () => new Set(ours().map(({ name }) => name))
    await expect.poll(names).toEqual(new Set(["GET /validate", "dns lookup", "probe", "store"]))
    const [root] = ours().filter(({ name }) => name === "GET /validate")
    expect(root?.parentSpanId).toBe("00f067aa0ba902b7")
    const parents = ours().flatMap(({ spanId, parentSpanId }) => (spanId === root?.spanId ? [] : [parentSpanId]))
    expect(new Set(parents)).toEqual(new Set([root?.spanId]))
    expect(tokens[0]).toBe("a b")
    expect(bodies.join("")).not.toMatch(/alice|mailbox\.test/)
  })

  test("background work has its own traces", async () => {
    await expect.poll(() => spans().some(({ name }) => name.startsWith("cron "))).toBe(true)
  })
})

describe("GET /admin/metrics", () => {
  const scrape = () => callUnchecked("/admin/metrics", { headers: { "x-admin-secret": inject("adminSecret") } })
  const readSample = (text: string, sample: string) => {
    const line = text.split("\n").find((one) => one.startsWith(`${sample} `))
    return line === undefined ? null : Number(line.slice(sample.length))
  }

  test("counts answers by route template and status, not by path", async () => {
    const sample = 'mailverdict_http_requests_total{method="GET",route="/domain-intel/:domain",status="200"}'
    const before = readSample((await scrape()).text, sample) ?? 0
    for (const domain of ["mailbox.test", "catch-all.test"]) await callUnchecked(`/domain-intel/${domain}`)
    await callUnchecked("/no/such/thing")
    await expect
      .poll(async () => readSample((await scrape()).text, sample), { interval: 500 })
      .toBeGreaterThanOrEqual(before + 2)
    const { text } = await scrape()
    expect(text).not.toContain("/no/such")
    expect(text).toMatch(
      /^mailverdict_http_request_duration_seconds_bucket\{method="GET",route="[^"]+",le="0\.25"\} \d+$/m,
    )
    expect(readSample(text, 'mailverdict_probe_nodes{state="healthy"}')).toBe(1)
    expect(readSample(text, 'mailverdict_job_chunks{state="due"}')).not.toBeNull()
    expect(readSample(text, "mailverdict_webhooks_due")).not.toBeNull()
  })

  test("has only valid lines of the Prometheus text format", async () => {
    const answer = await call("GET", "/admin/metrics", { headers: { "x-admin-secret": inject("adminSecret") } })
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const lines = answer.text.trimEnd().split("\n")
    const strange = lines.filter(
      (line) => !/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[^{}]*(\{[^{}]*\}[^{}]*)*\})? [\d.e+-]+)$/.test(line),
    )
    expect(strange).toEqual([])
    expect(new Set(lines).size).toBe(lines.length)
  })

  test("is for the operator only", async () => {
    expect((await call("GET", "/admin/metrics")).status).toBe(403)
  })
})
