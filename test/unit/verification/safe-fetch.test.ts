import { describe, expect, test } from "vitest"
import { parseSandbox } from "../../../schema/wire/addresses.ts"
import { createWeb } from "../../../src/adapters/web-pages.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const PUBLIC = "93.184.216.34"
const ZONE: Zone = {
  "site.test": { A: [PUBLIC], AAAA: ["2606:2800:220:1::1"] },
  "other.test": { A: [PUBLIC] },
  "private.test": { A: ["10.1.2.3"] },
  "mixed.test": { A: [PUBLIC, "127.0.0.1"] },
  "mapped.test": { AAAA: ["::ffff:169.254.169.254"] },
  "nat64.test": { AAAA: ["64:ff9b::a00:1"] },
  "local6.test": { A: [PUBLIC], AAAA: ["fd00::1"] },
  "sandboxed.test": { A: ["127.43.0.9"] },
  "broken.test": "servfail",
  "empty.test": { TXT: ["x"] },
}

type Pages = Readonly<Record<string, () => Response>>
const to = (location: string) => () => new Response(null, { status: 302, headers: { location } })
const page = (text: string) => () => new Response(text, { headers: { "content-type": "Text/HTML; charset=utf-8" } })

function web(pages: Pages, sandbox: string | null = null) {
  const calls: { url: string; way: string; headers: Headers; redirect: string | undefined }[] = []
  const fetching = (way: string) => async (url: string, init: RequestInit) => {
    calls.push({ url, way, headers: new Headers(init.headers), redirect: init.redirect ?? undefined })
    const reply = pages[url]
    if (!reply) throw new TypeError("network")
    return reply()
  }
  const { get } = createWeb({
    dns: dnsZone(ZONE),
    sandbox: sandbox === null ? null : parseSandbox(sandbox),
    userAgent: "test",
    fetch: fetching("any"),
    fetchPublic: fetching("public"),
  })
  return { get, calls }
}

test("a page is read with its type", async () => {
  const { get, calls } = web({ "https://site.test/": page("hello") })
  const answer = await get("https://site.test/")
  expect(answer).toMatchObject({ kind: "answer", status: 200, contentType: "text/html", text: "hello" })
  expect(calls[0]).toMatchObject({ way: "public", redirect: "manual" })
})

describe("URLs that are never fetched", () => {
  test.each<[string, string]>([
    ["https://private.test/", "blocked"],
    ["https://mixed.test/", "blocked"],
    ["https://mapped.test/", "blocked"],
    ["https://nat64.test/", "blocked"],
    ["https://local6.test/", "blocked"],
    ["https://sandboxed.test/", "blocked"],
    ["http://127.0.0.1/", "blocked"],
    ["http://2130706433/", "blocked"],
    ["http://0x7f.1/", "blocked"],
    ["https://[::1]/", "blocked"],
    ["https://[::ffff:7f00:1]/", "blocked"],
    ["http://localhost/", "blocked"],
    ["https://user:pw@site.test/", "blocked"],
    ["https://site.test:8443/", "blocked"],
    ["http://site.test:22/", "blocked"],
    ["file:///etc/passwd", "blocked"],
    ["https://empty.test/", "no_address"],
    ["https://nowhere.test/", "no_address"],
    ["https://broken.test/", "dns_failure"],
  ])("%s: %s", async (url, kind) => {
    const direct = web({})
    expect(await direct.get(url)).toEqual({ kind })
    expect(direct.calls).toEqual([])
    const redirected = web({ "https://site.test/": to(url) })
    expect(await redirected.get("https://site.test/")).toEqual({ kind })
    expect(redirected.calls).toHaveLength(1)
  })
})

test("three redirects are followed and the fourth is the answer; without allowed redirects the first is", async () => {
  const pages: Pages = {
    "https://site.test/": to("/1"),
    "https://site.test/1": to("https://other.test/2"),
    "https://other.test/2": to("3"),
    "https://other.test/3": to("/4"),
    "https://other.test/4": page("too far"),
  }
  const { get, calls } = web(pages)
  expect(await get("https://site.test/")).toMatchObject({ kind: "answer", status: 302 })
  expect(calls.map(({ url }) => url)).toEqual(Object.keys(pages).slice(0, 4))
  expect(await get("https://site.test/", { maxRedirects: 0 })).toMatchObject({ kind: "answer", status: 302 })
  expect(calls).toHaveLength(5)
})

test("at most 64 KB of an endless page are read", async () => {
  let isCancelled = false
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(10_000))),
        cancel: () => {
          isCancelled = true
        },
      }),
    )
  const answer = await web({ "https://site.test/": endless }).get("https://site.test/")
  expect(answer.kind === "answer" && answer.text.length).toBe(64 * 1024)
  expect(isCancelled).toBe(true)
})

test("an unreachable server gives no answer", async () => {
  expect(await web({}).get("https://site.test/")).toEqual({ kind: "unreachable" })
})

test("a sandbox receives the requests of its network, on its port, with the original name and scheme in headers", async () => {
  const { get, calls } = web({ "http://127.43.0.9:8080/a?b": page("hello") }, "127.43.0.0/16:8080")
  expect(await get("https://sandboxed.test/a?b")).toMatchObject({ kind: "answer", text: "hello" })
  expect(calls[0]!.way).toBe("any")
  expect(calls[0]!.headers.get("x-forwarded-host")).toBe("sandboxed.test")
  expect(calls[0]!.headers.get("x-forwarded-proto")).toBe("https")
  expect(await get("https://private.test/")).toEqual({ kind: "blocked" })
})

test.each(["127.43.0.0/16", "127.43.0.0:80", "127.43.0.0/40:80", "127.43.0.0/16:0", "127.43.0.0/16:70000", "x/8:80"])(
  "%s is not a valid sandbox",
  (text) => {
    expect(parseSandbox(text)).toBeNull()
  },
)
