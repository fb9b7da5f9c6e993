import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { convertV4MiniflareOptions, Miniflare, Response as MiniflareResponse } from "miniflare"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { bundleWorker } from "../../scripts/build/bundle.ts"
import { type DnsZone, dnsZone } from "../support/mail/dns-zone.ts"

const ZONE = dnsZone({
  "example.test": { MX: [{ host: "mx.example.test", preference: 10 }], TXT: [`v=spf1 ${"x".repeat(300)} -all`] },
  "mx.example.test": { A: ["192.0.2.25"], AAAA: ["2001:db8::25"] },
  "www.example.test": { CNAME: ["mx.example.test"] },
  "broken.test": "servfail",
  "slow.test": "timeout",
})
const EMPTY = dnsZone({})
const RESOLVERS: { [host: string]: DnsZone } = { "one.test": ZONE, "two.test": ZONE, "liar.test": EMPTY }

let directory: string
let worker: Miniflare

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "doh-"))
  const script = join(directory, "bundle/worker.mjs")
  const entry = join(directory, "entry.ts")
  const lookups = fileURLToPath(new URL("doh-worker.ts", import.meta.url))
  writeFileSync(entry, `export { dohWorker as default } from ${JSON.stringify(lookups)}`)
  await bundleWorker({ entry, folder: join(directory, "bundle") })
  worker = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: { colo: "DEV" },
      compatibilityDate: "2026-10-01",
      modulesRoot: directory,
      modules: [{ type: "ESModule", path: script }],
      outboundService: answerFetch,
    }),
  )
  await worker.ready
})

beforeEach(() => {
  ZONE.calls.length = 0
})

afterAll(async () => {
  await worker?.dispose()
  rmSync(directory, { recursive: true, force: true })
})

/** Receives all fetches of the Worker. Unknown hosts answer with a redirect, which must not be followed. */
async function answerFetch(request: { url: string; method: string; arrayBuffer(): Promise<ArrayBuffer> }) {
  const { host } = new URL(request.url)
  if (host === "drip.test")
    return new MiniflareResponse(endless(), { headers: { "content-type": "application/dns-message" } })
  const resolver = RESOLVERS[host]
  if (!resolver)
    return new MiniflareResponse(null, { status: 307, headers: { location: "https://one.test/dns-query" } })
  const init = { method: request.method, body: await request.arrayBuffer(), signal: AbortSignal.timeout(30_000) }
  const answer = await resolver.fetch(request.url, init).catch(() => new Response(null, { status: 504 }))
  return new MiniflareResponse(await answer.arrayBuffer(), { status: answer.status, headers: [...answer.headers] })
}

/** A body that starts at once and never ends. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(12)) })
}

/** A resolver may take its time, but for the cases in which it gives no answer. */
async function resolve(name: string, type: string, hosts: string[], ms = 20_000): Promise<unknown> {
  const urls = hosts.map((host) => `https://${host}/dns-query`).join(",")
  const response = await worker.dispatchFetch(
    `http://worker/?${new URLSearchParams({ name, type, urls, ms: `${ms}` })}`,
  )
  return response.json()
}

test.each([
  ["example.test", "MX", { kind: "records", records: [{ host: "mx.example.test", preference: 10 }] }],
  ["example.test", "TXT", { kind: "records", records: [`v=spf1 ${"x".repeat(300)} -all`] }],
  ["mx.example.test", "AAAA", { kind: "records", records: ["2001:db8::25"] }],
  ["www.example.test", "A", { kind: "records", records: ["192.0.2.25"] }],
  ["example.test", "A", { kind: "no_data" }],
  ["gone.test", "MX", { kind: "no_such_domain" }],
  ["broken.test", "MX", { kind: "failure", reason: "servfail" }],
  ["slow.test", "MX", { kind: "failure", reason: "timeout" }, 300],
] as const)("in workerd %s %s is %j", async (name, type, expected, ms?: number) => {
  expect(await resolve(name, type, ["one.test", "two.test"], ms)).toMatchObject(expected)
})

test("in workerd contradicting resolvers are a failure", async () => {
  expect(await resolve("example.test", "MX", ["liar.test", "one.test"])).toMatchObject({ reason: "disagreement" })
})

test("in workerd an endless body is cut at the timeout", async () => {
  expect(await resolve("example.test", "MX", ["drip.test"], 300)).toMatchObject({ reason: "timeout" })
})

test("in workerd a redirect is not followed", async () => {
  expect(await resolve("example.test", "NS", ["elsewhere.test"])).toMatchObject({ reason: "http_status" })
  expect(ZONE.calls).toEqual([])
})

test("in workerd finished answers outlive the request, and many concurrent requests do not hang", async () => {
  const ask = () => resolve("mx.example.test", "A", ["two.test"])
  await ask()
  ZONE.calls.length = 0
  const answers = await Promise.all(Array.from({ length: 30 }, ask))
  expect(ZONE.calls).toEqual([])
  for (const answer of answers) expect(answer).toMatchObject({ kind: "records", records: ["192.0.2.25"] })
})
