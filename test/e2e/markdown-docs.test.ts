import { expect, test } from "vitest"
import { callUnchecked } from "../support/stack/api.ts"

const MARKDOWN = "text/markdown; charset=utf-8"
const accepting = (accept: string) => callUnchecked("/docs", { headers: { accept } })

test("each link of llms.txt answers 200 with its type, to any reader", async () => {
  const index = await callUnchecked("/llms.txt")
  expect([index.status, index.headers.get("content-type")]).toEqual([200, MARKDOWN])
  const paths = [...index.text.matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(30)
  for (const path of ["/docs.md", "/docs/verification.md", "/docs/skill/SKILL.md"]) expect(paths).toContain(path)
  for (const path of paths) {
    const page = await callUnchecked(path)
    const type = path.endsWith(".json") ? "application/json" : MARKDOWN
    expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 200, type])
    expect(page.headers.get("x-content-type-options")).toBe("nosniff")
    expect(page.headers.get("cache-control")).toBe("no-cache")
    expect(page.headers.get("x-robots-tag")).toBeNull()
  }
})

test("the reference links to its pages in Markdown, and a robot may read it", async () => {
  const page = await callUnchecked("/docs")
  const alternates = [...page.text.matchAll(/<link rel="alternate" type="text\/markdown" href="(.+?)"/g)]
  expect(alternates.map(([, path]) => path)).toEqual(["/docs.md", "/llms.txt"])
  expect(page.text).not.toContain("noindex")
  expect((await callUnchecked("/robots.txt")).status).toBe(404)
})

test("/docs is Markdown to a client that prefers it, and a cache keeps the two apart", async () => {
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
  for (const accept of [browser, "*/*", "text/html, text/markdown;q=0.9", "text/markdown;q=0", "application/json"])
    expect([accept, (await accepting(accept)).headers.get("content-type")]).toEqual([
      accept,
      "text/html; charset=utf-8",
    ])
  for (const accept of ["text/markdown", "text/markdown, text/html;q=0.9, */*;q=0.1"]) {
    const page = await accepting(accept)
    expect([accept, page.headers.get("content-type")]).toEqual([accept, MARKDOWN])
    expect(page.text).toBe((await callUnchecked("/docs.md")).text)
  }
  const html = await accepting(browser)
  const markdown = await accepting("text/markdown")
  for (const { headers } of [html, markdown]) expect(headers.get("vary")).toMatch(/\bAccept\b(?!-)/)
  const headers = { accept: "text/markdown", "if-none-match": html.headers.get("etag")! }
  const other = await callUnchecked("/docs", { headers })
  expect([other.status, other.text]).toEqual([200, markdown.text])
})

test("the skill has the front matter of the Agent Skills format", async () => {
  const { text } = await callUnchecked("/docs/skill/SKILL.md")
  const [, matter = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? []
  const fields = new Map(matter.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  expect([...fields.keys()]).toEqual(["name", "description", "compatibility"])
  expect(fields.get("name")).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  expect(fields.get("description")!.length).toBeLessThanOrEqual(1_024)
  expect(fields.get("compatibility")!.length).toBeLessThanOrEqual(500)
  // A colon and a space would end a plain value of YAML.
  for (const value of fields.values()) expect(value).not.toMatch(/: | #/)
})

test("a page that does not exist is 404", async () => {
  for (const path of ["/docs/none.md", "/docs/skill/none.md", "/none.md"])
    expect((await callUnchecked(path)).status).toBe(404)
})

test("the Link of an error leads to the row of its code, in a page or in Markdown", async () => {
  const { body, headers } = await callUnchecked<{ code: string }>("/validate/fast?email=user1@d1899.test")
  expect(body.code).toBe("not_cached")
  const [, path = "", id = ""] = /^<(.+)#(.+)>; rel="help"$/.exec(headers.get("link") ?? "") ?? []
  expect(id).toBe(body.code)
  const page = await callUnchecked(path, { headers: { accept: "text/html" } })
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(page.text).toContain(`<tr id="${id}">`)
  const markdown = await callUnchecked(path, { headers: { accept: "text/markdown" } })
  expect([markdown.status, markdown.headers.get("content-type")]).toEqual([200, MARKDOWN])
  expect(markdown.text).toContain(`| 404 | \`${id}\` |`)
})
