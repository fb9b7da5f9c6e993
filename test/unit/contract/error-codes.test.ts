import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { errorPage } from "../../../scripts/build/docs/errors.ts"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from "../../../src/error-codes.ts"
import { readTree } from "../../support/source/import-graph.ts"

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly components: { readonly schemas: Record<string, { readonly enum?: readonly string[] }> }
}

const document = openApiDocument() as Document
const codes = Object.keys(ERROR_CODES) as ErrorCode[]
const statusAndCode = codes.map((code) => `${ERROR_STATUS[ERROR_CODES[code].kind]} ${code}`).sort()

/** The codes in the first two columns of a table of errors, each with its status. */
function tableOf(markdown: string): string[] {
  const rows = [...markdown.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)]
  return rows.flatMap(([, status, cell]) => [...cell!.matchAll(/`([a-z_]+)`/g)].map(([, code]) => `${status} ${code}`))
}

test("the guide of the reference describes each code, with its status", () => {
  const guide = document.tags.find(({ name }) => name === "guide-errors")!.description
  expect(tableOf(guide).sort()).toEqual(statusAndCode)
  for (const code of codes) expect(guide).toContain(`| \`${code}\` | ${ERROR_CODES[code].meaning} |`)
})

test("docs/api.md names each code, with its status", () => {
  const text = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8")
  const section = text.split(/^## /m).find((part) => part.startsWith("Limits and errors"))!
  expect(tableOf(section).sort()).toEqual(statusAndCode)
})

test("the published schema of errors has each code, and both forms of an error require one", () => {
  const { ErrorCode, Problem, ValidationProblem } = document.components.schemas
  expect(ErrorCode?.enum).toEqual(codes)
  for (const schema of [Problem, ValidationProblem])
    expect(schema).toMatchObject({
      required: expect.arrayContaining(["detail", "code"]),
      properties: { code: { $ref: "#/components/schemas/ErrorCode" } },
    })
})

test("the page of errors has a row for each code, and all Markdown of the texts is shown as code", () => {
  const page = errorPage()
  expect([...page.matchAll(/<tr id="(\w+)">/g)].map(([, id]) => id)).toEqual(codes)
  expect(page).not.toMatch(/[`{}]/)
})

const { files } = readTree()

test("the service sends each code", () => {
  const source = files.filter(({ path }) => /^src\/(?!client|console|form|error-codes)/.test(path))
  const text = source.map((file) => file.text).join("\n")
  expect(codes.filter((code) => !text.includes(`"${code}"`))).toEqual([])
})

/** Tests with tables of codes, whose rows have no name for them. */
const TABLES = ["test/e2e/access.test.ts", "test/e2e/bad-input.test.ts"]

test("a test of answers shows each code", () => {
  const tests = files.filter(({ path }) => /^test\/(e2e|wire|endpoints|unit\/http)/.test(path))
  const shown = tests.flatMap(({ path, text }) => {
    const pattern = TABLES.includes(path) ? /"(?:\d{3} )?([a-z_]+)"/g : /\bcode: "([a-z_]+)"/g
    return [...text.matchAll(pattern)].map(([, code]) => code!)
  })
  expect(codes.filter((code) => !shown.includes(code))).toEqual([])
})
