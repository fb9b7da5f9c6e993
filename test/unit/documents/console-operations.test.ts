import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { ENDPOINT_LIST, FURTHER_ENDPOINTS } from "../../support/stack/endpoint-list.ts"

const TEXT = readFileSync(new URL("../../../docs/console.md", import.meta.url), "utf8")
/** Paths as the tables name them: "/keys", "/bulk/*", "DELETE /me". */
const NAMED = [...TEXT.matchAll(/`(?:[A-Z]+ )?(\/[^`]*)`/g)].map(([, path]) => path!)

/** "/suppression/*" and "/integrations*" name every path below, and the latter also the path itself. */
function names(pattern: string, path: string): boolean {
  const parameters = (text: string) => text.replace(/\{\w+\}/g, "{}")
  if (!pattern.endsWith("*")) return parameters(pattern) === parameters(path)
  return parameters(path).startsWith(parameters(pattern.slice(0, -1)))
}

test("every operation is on a page of the console, or listed with the reason why not", () => {
  const paths = new Set([...ENDPOINT_LIST, ...FURTHER_ENDPOINTS].map(([, call]) => call.split(" ")[1]!))
  const missing = [...paths].filter((path) => !NAMED.some((pattern) => names(pattern, path)))
  expect(missing).toEqual([])
})

test("the tables name no path that does not exist", () => {
  const paths = [...ENDPOINT_LIST, ...FURTHER_ENDPOINTS].map(([, call]) => call.split(" ")[1]!)
  const invented = NAMED.filter(
    (pattern) => !pattern.startsWith("/console") && !paths.some((path) => names(pattern, path)),
  )
  expect(invented).toEqual([])
})
