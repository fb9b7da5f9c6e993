import { expect, test } from "vitest"
import { errorsOf, readSamples, trafficOf } from "../../../src/console/pages/admin/metrics-pages.tsx"
import { countsOf, formatPrometheus, requestFamilies } from "../../../src/domain/admin/metrics.ts"

const ANSWERS = [
  { method: "GET", route: "/validate", status: 200, ms: 40 },
  { method: "GET", route: "/validate", status: 200, ms: 60 },
  { method: "GET", route: "/validate", status: 503, ms: 20 },
  { method: "POST", route: "/keys", status: 422, ms: 3 },
  { method: "POST", route: "/keys", status: 422, ms: 3 },
]

const counts = new Map<string, number>()
for (const [name, by] of ANSWERS.flatMap(countsOf)) counts.set(name, (counts.get(name) ?? 0) + by)
const samples = readSamples(formatPrometheus(requestFamilies(counts)))

test("the service's own metrics are read back: requests and mean time by route, the busiest first", () => {
  expect(trafficOf(samples)).toEqual([
    { route: "GET /validate", requests: 3, refused: 0, failed: 1, meanMs: 40 },
    { route: "POST /keys", requests: 2, refused: 2, failed: 0, meanMs: 3 },
  ])
})

test("failures of the service come before errors of callers", () => {
  expect(errorsOf(samples)).toEqual([
    { route: "GET /validate", status: "503", count: 1 },
    { route: "POST /keys", status: "422", count: 2 },
  ])
})

test.each([
  ["# HELP a text", []],
  ["a_total 3", [{ name: "a_total", labels: {}, value: 3 }]],
  ['a{b="x \\"y\\" \\\\z"} 0.5', [{ name: "a", labels: { b: 'x "y" \\z' }, value: 0.5 }]],
  ["not a sample", []],
])("%s", (line, expected) => {
  expect(readSamples(line)).toEqual(expected)
})
