import { expect, test } from "vitest"
import type { CodeSample } from "../../../scripts/build/docs/code-samples.ts"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { type ClientOptions, createClient } from "../../../src/client/mailverdict.ts"

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly "x-codeSamples"?: readonly CodeSample[]
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly "x-tagGroups": readonly { readonly tags: readonly string[] }[]
}

const document = openApiDocument() as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, name: operation.operationId, operation })),
)
const sampled = operations.filter(({ operation }) => operation["x-codeSamples"])

test.each(operations)("$name has a short title, and a description that says more", ({ operation }) => {
  const { summary, description = "" } = operation
  expect(summary.length).toBeLessThanOrEqual(45)
  expect(description.length).toBeGreaterThanOrEqual(40)
  expect(description).toMatch(/^[A-Z`].*\.$/s)
  expect(description.toLowerCase()).not.toContain(`${summary.toLowerCase()}.`)
})

test("titles of one group differ", () => {
  const titles = operations.map(({ operation }) => `${operation.tags[0]}: ${operation.summary}`)
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
})

test("each group is described and in the navigation once, and links lead to groups", () => {
  const names = document.tags.map(({ name }) => name)
  expect(document["x-tagGroups"].flatMap(({ tags }) => tags)).toEqual(names)
  expect(new Set(names).size).toBe(names.length)
  expect(operations.filter(({ operation }) => !names.includes(operation.tags[0]!))).toEqual([])
  for (const { description } of document.tags) expect(description.length).toBeGreaterThanOrEqual(40)
  const links = [...JSON.stringify(document).matchAll(/\(#tag\/([\w-]+)\)/g)].map(([, name]) => name!)
  expect(links.length).toBeGreaterThan(5)
  expect(links.filter((name) => !names.includes(name))).toEqual([])
})

test("each call that the guides and descriptions name exists", () => {
  const calls = [...JSON.stringify(document).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]+)/g)]
  expect(calls.length).toBeGreaterThan(30)
  const absent = calls.filter(([, method, path]) => !document.paths[path!]?.[method!.toLowerCase()])
  expect(absent.map(([call]) => call)).toEqual([])
})

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<void>

test.each(sampled)("the JavaScript sample of $name makes its call", async ({ path, operation }) => {
  const { source } = operation["x-codeSamples"]!.find(({ lang }) => lang === "javascript")!
  const called: string[] = []
  // Enough of each answer for the methods that read it, such as `lists.wait`.
  const answer = { status: "complete", jobs: [], keys: [], suppressions: [], endpoints: [], deliveries: [] }
  const fetch = async (url: string | URL | Request) => {
    called.push(new URL(String(url)).pathname)
    return Response.json({ ...answer, nodes: [], regions: [], next_cursor: null })
  }
  const create = (options: ClientOptions) => createClient({ ...options, fetch, maxRetries: 0 })
  const run = new AsyncFunction("createClient", "openAsBlob", "console", source.replaceAll(/^import .*$/gm, ""))
  await run(create, () => new Blob(["a"]), { log: () => undefined })
  expect(called[0]).toMatch(new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`))
})
