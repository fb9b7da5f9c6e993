import type { Ended } from "./attacker.ts"
import type { Calls } from "./bystander.ts"
import type { Resources } from "./service-process.ts"

/** What one attack did to the service, and to another account. */
export interface Result {
  readonly name: string
  readonly connections: number
  readonly ended: Ended
  readonly restarts: number
  readonly before: Resources
  readonly peak: Pick<Resources, "workerdMb" | "othersMb">
  readonly after: Resources
  /** Key sets that the service fetched from the identity provider. */
  readonly fetches: number
  readonly quiet: Calls
  readonly during: Calls
}

const HEADINGS = [
  "attack",
  "connections",
  "answers",
  "restarts",
  "workerd MB",
  "others MB",
  "files",
  "handles",
  "rows",
  "fetches",
  "other account",
  "p95 ms quiet",
  "attack",
  "ratio",
]

/** A Markdown table of all attacks. Memory is before, at its peak and after; other counts are before and after. */
export function tableOf(results: readonly Result[]): string {
  const rows = [HEADINGS, ...results.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`)
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`)
  return lines.join("\n")
}

function cellsOf({
  name,
  connections,
  ended,
  restarts,
  before,
  peak,
  after,
  fetches,
  quiet,
  during,
}: Result): string[] {
  const counts = (what: "files" | "handles" | "rows") => `${before[what]} → ${after[what]}`
  const memory = (what: "workerdMb" | "othersMb") =>
    [before, peak, after].map((one) => one[what].toFixed(0)).join(" → ")
  return [
    name,
    String(connections),
    answersOf(ended),
    String(restarts),
    memory("workerdMb"),
    memory("othersMb"),
    counts("files"),
    counts("handles"),
    counts("rows"),
    String(fetches),
    `${during.answers["200"]} of ${during.sent}`,
    quiet.p95Ms.toFixed(1),
    during.p95Ms.toFixed(1),
    (during.p95Ms / quiet.p95Ms).toFixed(1),
  ]
}

function answersOf({ answers, closed, unanswered, leftOpen }: Ended): string {
  const others = { closed, "no answer": unanswered, "left open": leftOpen }
  return [...Object.entries(answers), ...Object.entries(others).filter(([, count]) => count > 0)]
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(", ")
}
