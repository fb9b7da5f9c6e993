import { stripVTControlCharacters } from "node:util"
import { expect, test } from "vitest"
import { banner, logFormatOf, logLine } from "../../../scripts/dev/log-line.ts"

const now = new Date(2026, 0, 2, 9, 5, 7)
const REQUEST = { event: "request", request_id: "r-1", method: "GET", route: "/validate", status: 200, ms: 66 }
const NODE = { event: "node_state", request_id: "r-1", node: "local-1", from: null, to: "healthy", reason: null }

test.each([
  ["a request", "worker", JSON.stringify(REQUEST), "09:05:07  200  GET    /validate  66 ms"],
  ["an event", "worker", JSON.stringify(NODE), "09:05:07  worker: node state, node local-1, to healthy"],
  ["a number", "node", '{"time":"t","event":"doctor_unfit","fails":3}', "09:05:07  node: doctor unfit, fails 3"],
  ["plain text", "sandbox", "mail to a@b.test", "09:05:07  sandbox: mail to a@b.test"],
  ["broken JSON", "worker", "{oops", "09:05:07  worker: {oops"],
  ["JSON without an event", "worker", '{"a":1}', '09:05:07  worker: {"a":1}'],
])("%s is one readable line", (_, source, line, expected) => {
  expect(stripVTControlCharacters(logLine(source, line, { format: "readable", now }))).toBe(expected)
})

test.each([
  [JSON.stringify(REQUEST), { source: "worker", ...REQUEST }],
  ["plain text", { source: "worker", message: "plain text" }],
])("as JSON, %s keeps its fields and names its source", (line, expected) => {
  expect(JSON.parse(logLine("worker", line, { format: "json", now }))).toEqual(expected)
})

test.each([
  [undefined, true, "readable"],
  [undefined, false, "json"],
  ["json", true, "json"],
  ["readable", false, "readable"],
] as const)("LOG_FORMAT=%s with a terminal: %s gives %s lines", (setting, isTerminal, expected) => {
  expect(logFormatOf(setting, { isTerminal })).toBe(expected)
})

test("the lines of a box have the same width", () => {
  const lines = stripVTControlCharacters(banner("A title", [["API", "http://127.0.0.1:8787"]])).split("\n")
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1)
})
