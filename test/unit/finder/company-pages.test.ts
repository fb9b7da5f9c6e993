import { describe, expect, test } from "vitest"
import { createPages, type Web, type WebAnswer } from "../../../src/adapters/web-pages.ts"

type Reply = { status?: number; text?: string; contentType?: string; movesTo?: string; ms?: number } | "no_address"

/** A mock web of pages by URL. Other paths are 404, and hosts without a page have no address. */
function webOf(replies: Readonly<Record<string, Reply>>) {
  const calls: string[] = []
  let now = 0
  const web: Web = {
    async get(url): Promise<WebAnswer> {
      calls.push(url)
      const { origin } = new URL(url)
      if (!Object.keys(replies).some((key) => key.startsWith(origin))) return { kind: "no_address" }
      const reply = replies[url] ?? { status: 404 }
      if (reply === "no_address") return { kind: "no_address" }
      now += reply.ms ?? 1
      const { status = 200, text = "", contentType = "text/html", movesTo = url } = reply
      return { kind: "answer", status, text, contentType, url: new URL(movesTo) }
    },
  }
  const pages = createPages({ web, clock: { now: () => now, sleep: async () => undefined } })
  return { pages, calls }
}

const links = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join("")

describe("reading a company's site", () => {
  test("fetches robots.txt first and once, and no path that it forbids", async () => {
    const { pages, calls } = webOf({
      "https://a.test/robots.txt": { text: "User-agent: *\nDisallow: /team" },
      "https://a.test/": { text: links("/team", "/contact") },
      "https://a.test/contact": { text: "hello" },
    })
    const visit = await pages.visit("a.test")
    expect(visit).toMatchObject({ kind: "read" })
    expect(calls).toEqual(["https://a.test/robots.txt", "https://a.test/", "https://a.test/contact"])
  })

  test("follows a redirect to www", async () => {
    const { pages, calls } = webOf({
      "https://a.test/robots.txt": { status: 404, movesTo: "https://www.a.test/robots.txt" },
      "https://www.a.test/": { text: "x" },
    })
    expect(await pages.visit("a.test")).toMatchObject({ kind: "read" })
    expect(calls).toContain("https://www.a.test/")
  })

  test.each<[string, Record<string, Reply>, string]>([
    ["robots.txt fails", { "https://a.test/robots.txt": { status: 503 } }, "disallowed"],
    ["another company's site", { "https://a.test/robots.txt": { movesTo: "https://b.test/robots.txt" } }, "blocked"],
    [
      "a host with the same ending",
      { "https://a.test/robots.txt": { movesTo: "https://xa.test/robots.txt" } },
      "blocked",
    ],
    ["no IP address", {}, "no_site"],
    ["no readable page", { "https://a.test/": { contentType: "application/pdf" } }, "unreachable"],
  ])("%s", async (_, replies, kind) => {
    expect(await webOf(replies).pages.visit("a.test")).toMatchObject({ kind })
  })

  test("fetches at most ten pages, and none after the deadline", async () => {
    const many = links(...Array.from({ length: 40 }, (_, n) => `/team/${n}`))
    const slow = (ms: number) => ({
      "https://a.test/": { text: many, ms },
      ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`https://a.test/team/${n}`, { text: "x", ms }])),
    })
    const fast = webOf(slow(1))
    await fast.pages.visit("a.test")
    expect(fast.calls).toHaveLength(11)
    const late = webOf(slow(5_000))
    await late.pages.visit("a.test")
    expect(late.calls.length).toBeLessThan(6)
  })

  test("fetches usual paths when the home page has no links", async () => {
    const { pages, calls } = webOf({ "https://a.test/": { text: "no links" } })
    await pages.visit("a.test")
    expect(calls).toContain("https://a.test/contact")
  })
})
