import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, inject, test } from "vitest"
import { callUnchecked } from "../support/stack/api.ts"
import { PROJECT } from "../support/stack/guide-steps.ts"

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
  readonly panels: readonly {
    readonly id: number
    readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const serviceMetrics = async () => {
  await callUnchecked("/validate?email=alice@mailbox.test")
  const read = async () =>
    (await callUnchecked("/admin/metrics", { headers: { "x-admin-secret": inject("adminSecret") } })).text
  // Request counts are written every ten seconds.
  await expect.poll(read).toContain("mailverdict_http_requests_total{")
  return read()
}
const nodeMetrics = async () => (await fetch(`${inject("nodeUrl")}/metrics`)).text()

/** The names of the series: a histogram has three for each. */
function seriesIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
  )
}

describe.each([
  ["scripts/self-hosting/grafana-dashboard.json", serviceMetrics],
  ["probe-node/grafana-dashboard.json", nodeMetrics],
])("%s", (path, metrics) => {
  const { panels, templating } = JSON.parse(readFileSync(join(PROJECT, path), "utf8")) as Dashboard

  test("queries only metrics that exist, by labels that they have", async () => {
    const text = await metrics()
    const variables = templating.list.map(({ query }) => (typeof query === "string" ? query : query.query))
    const queries = [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...variables]
    const names = queries.flatMap((query) => query.match(/\b(?:mailverdict|probe|process)_\w+/g) ?? [])
    expect(new Set(names).size).toBeGreaterThan(8)
    const known = seriesIn(text)
    expect(names.filter((name) => !known.includes(name))).toEqual([])
    // Prometheus adds the instance and the job. Without a sample a metric shows no labels.
    for (const query of queries)
      for (const [, name = "", selector = ""] of query.matchAll(/\b((?:mailverdict|probe)_\w+)\{([^}]*)\}/g)) {
        const sample = new RegExp(`^${name}\\{(.*)\\}`, "m").exec(text)?.[1]
        const labels = [...selector.matchAll(/(\w+)(?:=~?|!=)"/g)].map(([, label]) => label!)
        const missing = labels.filter((label) => label !== "instance" && sample && !sample.includes(`${label}="`))
        expect({ query, missing }).toEqual({ query, missing: [] })
      }
  })

  test("has panels of different ids that do not overlap", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})
