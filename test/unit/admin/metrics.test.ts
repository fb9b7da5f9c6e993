import { describe, expect, test } from "vitest"
import { type AnsweredRequest, countsOf, formatPrometheus, requestFamilies } from "../../../src/domain/admin/metrics.ts"

/** The metrics text after these responses, without HELP lines. */
function textOf(answers: readonly AnsweredRequest[]): string[] {
  const counts = new Map<string, number>()
  for (const answered of answers)
    for (const [name, by] of countsOf(answered)) counts.set(name, (counts.get(name) ?? 0) + by)
  return formatPrometheus(requestFamilies(counts))
    .split("\n")
    .filter((line) => !line.startsWith("# HELP"))
}

describe("request metrics for Prometheus", () => {
  const fast = { method: "GET", route: "/jobs/:job_id", status: 200, ms: 7 }

  test("are counted by method, route and status", () => {
    const lines = textOf([fast, fast, { ...fast, status: 404 }, { ...fast, method: "DELETE" }])
    expect(lines).toContain('mailverdict_http_requests_total{method="GET",route="/jobs/:job_id",status="200"} 2')
    expect(lines).toContain('mailverdict_http_requests_total{method="GET",route="/jobs/:job_id",status="404"} 1')
    expect(lines).toContain('mailverdict_http_requests_total{method="DELETE",route="/jobs/:job_id",status="200"} 1')
  })

  test("have a cumulative histogram in seconds", () => {
    const lines = textOf([fast, { ...fast, ms: 10 }, { ...fast, ms: 450 }, { ...fast, ms: 61_000 }])
    const of = (start: string) =>
      lines.find((line) => line.startsWith(`mailverdict_http_request_duration_seconds${start}`))
    const labels = 'method="GET",route="/jobs/:job_id"'
    expect(of(`_bucket{${labels},le="0.01"}`)).toMatch(/ 2$/)
    expect(of(`_bucket{${labels},le="0.25"}`)).toMatch(/ 2$/)
    expect(of(`_bucket{${labels},le="0.5"}`)).toMatch(/ 3$/)
    expect(of(`_bucket{${labels},le="30"}`)).toMatch(/ 3$/)
    expect(of(`_bucket{${labels},le="+Inf"}`)).toMatch(/ 4$/)
    expect(of(`_count{${labels}}`)).toMatch(/ 4$/)
    expect(of(`_sum{${labels}}`)).toMatch(/ 61.467$/)
  })

  test("have at most one counter per route, status and bucket", () => {
    const names = ["PROPFIND", "BREW", "X".repeat(500)].flatMap((method) => countsOf({ ...fast, method }))
    expect(new Set(names.map(([name]) => name)).size).toBe(3)
  })
})

test("labels are escaped, families without samples are omitted, each family has one header", () => {
  const text = formatPrometheus([
    { name: "a", type: "gauge", help: "A.", samples: [{ labels: { of: 'x"y\\z\n' }, value: 0.5 }] },
    { name: "b", type: "counter", help: "B.", samples: [] },
    { name: "c", type: "counter", help: "C.", samples: [{ labels: {}, value: 3 }] },
  ])
  expect(text).toBe('# HELP a A.\n# TYPE a gauge\na{of="x\\"y\\\\z\\n"} 0.5\n# HELP c C.\n# TYPE c counter\nc 3\n')
})
