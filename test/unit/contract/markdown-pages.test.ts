import { spawnSync } from "node:child_process"
import { posix } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import type { PublishedDocument } from "../../../scripts/build/docs/code-samples.ts"
import { MANUALS } from "../../../scripts/build/docs/markdown/manuals.ts"
import { markdownPages } from "../../../scripts/build/docs/markdown/pages.ts"
import { GUIDES, TAG_GROUPS } from "../../../scripts/build/docs/tags.ts"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { ENDPOINTS } from "../../../src/routes/index.ts"

const document = openApiDocument() as PublishedDocument
const pages = markdownPages(document)
const whole = [...pages.values()].join("\n")
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
)
const TAGS = TAG_GROUPS.flatMap(({ tags }) => tags)

/** The section of an operation in the page of its tag. */
function sectionOf(call: string, tag: string): string {
  const [, section = ""] = pages.get(`docs/${tag}.md`)!.split(`\n## ${call}: `)
  return section.split(/\n## /)[0]!
}

/** Anchors of a page's headings, as readers of Markdown create them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase())
  return new Set(headings.map((heading) => heading.replace(/[^\w\s-]/g, "").replaceAll(" ", "-")))
}

test("there is a page for each guide, tag and manual, and the index names each once", () => {
  const names = [...GUIDES.tags, ...TAGS, ...MANUALS].map(({ name }) => `docs/${name}.md`)
  expect([...pages.keys()].toSorted()).toEqual(["llms.txt", "docs.md", ...names].toSorted())
  for (const index of ["llms.txt", "docs.md"]) {
    const linked = [...pages.get(index)!.matchAll(/^- \[.+?\]\(\/(docs\/.+?)\): .+\.$/gm)].map(([, path]) => path!)
    expect(linked.toSorted()).toEqual(names.toSorted())
  }
})

test("llms.txt has the form of llmstxt.org: a title, a quoted sentence, and sections of links", () => {
  const [title, summary, ...sections] = pages.get("llms.txt")!.trim().split("\n\n")
  expect(title).toBe("# Mailverdict")
  expect(summary).toMatch(/^> [^\n]+\.$/)
  expect(sections.length).toBeGreaterThan(10)
  const isHeading = (_: string, at: number) => at % 2 === 0
  for (const heading of sections.filter(isHeading)) expect(heading).toMatch(/^## [^\n]+$/)
  for (const list of sections.filter((one, at) => !isHeading(one, at)))
    expect(list).toMatch(/^(- \[[^\]]+\]\(\/[^)]+\): [^\n]+(\n|$))+$/)
})

test.each(operations)("$call is in the pages once, in that of its tag", ({ call, operation }) => {
  expect(whole.split(`\n## ${call}: `)).toHaveLength(2)
  const section = sectionOf(call, operation.tags![0]!)
  const { summary, description, parameters = [], requestBody, responses } = operation
  expect(section.startsWith(`${summary}\n\n`)).toBe(true)
  expect(section).toContain(description!.split("](#")[0])
  expect(section).toMatch(/^Access: .+\.$/m)
  for (const { name, in: place } of parameters) expect(section).toContain(`| \`${name}\` | ${place} |`)
  for (const type of Object.keys(requestBody?.content ?? {})) expect(section).toContain(`\nBody, \`${type}\`:`)
  const fields = requestBody?.content?.["application/json"]?.schema?.properties ?? {}
  for (const name of Object.keys(fields)) expect(section).toContain(`\n| \`${name}\` | `)
  for (const [status, answer] of Object.entries(responses))
    expect(section).toContain(status < "400" ? `\nAnswer ${status}` : `\n- ${status}: ${answer.description}`)
})

test("each description is in the pages as it is in the document", () => {
  const described: string[] = []
  JSON.parse(JSON.stringify(document.components.schemas), (key, value) => {
    if (key === "properties")
      for (const { description } of Object.values(value as Record<string, { description?: unknown }>))
        if (typeof description === "string") described.push(description.replaceAll("|", "\\|"))
    return value
  })
  expect(described.length).toBeGreaterThan(500)
  expect(described.filter((text) => !whole.includes(text))).toEqual([])
})

test("each call that costs credits says so, because the pages call the others free", () => {
  const charged = ENDPOINTS.filter(({ costs }) => costs).map(({ route }) => route)
  expect(charged.length).toBeGreaterThan(10)
  const silent = charged.filter(({ description = "" }) => !/costs?\b|credit/i.test(description))
  expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

test.each([...pages])("the links of %s lead to pages and headings that exist", (path, text) => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
  const served = new Set(["openapi.json", "docs"])
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false
    const [file = "", anchor] = link.split("#")
    const target = file === "" ? path : posix.join("/", file).slice(1)
    if (served.has(target)) return false
    const found = pages.get(target)
    return found === undefined || (anchor !== undefined && !anchorsOf(found).has(anchor))
  })
  expect(broken).toEqual([])
  expect(path === "llms.txt" || links.every((link) => /^(https?:|#|\/)/.test(link))).toBe(true)
})

describe("the samples for curl", () => {
  const samples = operations.map(({ call, operation }) => {
    const section = sectionOf(call, operation.tags![0]!)
    return { call, operation, sample: /```sh\n(.*?)\n```/s.exec(section)![1]! }
  })
  // A shell reads the quotes. Arguments end with a NUL, and calls with two.
  const script = ['curl() { printf "%s\\0" "$@"; printf "\\0"; }', ...samples.map(({ sample }) => sample)].join("\n")
  const env = { BASE: "https://api.test", KEY: "k", SESSION: "s", ADMIN_SECRET: "a", GOOGLE_ID_TOKEN: "g" }
  const { stdout } = spawnSync("bash", ["-euc", script], { env: { ...env, PATH: process.env.PATH }, encoding: "utf8" })
  const calls = stdout.split("\0\0").slice(0, -1)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, "openapi")

  test("each operation has one", () => {
    expect(calls).toHaveLength(operations.length)
  })

  test.each(samples.map((sample, at) => ({ ...sample, words: (calls[at] ?? "").split("\0") })))(
    "$call: method, path, required parameters and body fit",
    ({ call, operation, words }) => {
      const data = words.find((_, at) => /^(-d|-F|--data-binary)$/.test(words[at - 1] ?? ""))
      const method = words.includes("-X") ? words[words.indexOf("-X") + 1] : data === undefined ? "GET" : "POST"
      const url = new URL(words.find((word) => word.startsWith(env.BASE))!)
      const template = call.split(" ")[1]!.replaceAll(/\{\w+\}/g, "[^/]+")
      expect(`${method} ${url.pathname}`).toMatch(new RegExp(`^${call.split(" ")[0]} ${template}$`))
      for (const { name, in: place, required } of operation.parameters ?? [])
        if (place === "query" && required) expect(url.searchParams.has(name)).toBe(true)
      const schema = operation.requestBody?.content?.["application/json"]?.schema
      expect(data === undefined).toBe(operation.requestBody === undefined)
      if (!schema) return
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object)
      expect({ body: data, fits: validate(JSON.parse(data!)), errors: validate.errors }).toMatchObject({ fits: true })
    },
  )
})
