import { styleText } from "node:util"

/** One thing looked at. `fail` has to be mended before people are let in, `warn` costs a function or trust. */
export interface Finding {
  readonly about: string
  readonly result: "ok" | "warn" | "fail"
  /** What was found and what to do; never a value of a setting. */
  readonly detail: string
}

const COLOUR = { ok: "green", warn: "yellow", fail: "red" } as const
const MARGIN = 2

/** The findings as a table, the worst last, where a terminal shows them. */
export function tableOf(findings: readonly Finding[]): string {
  const rank = { ok: 0, warn: 1, fail: 2 }
  const sorted = findings.toSorted((a, b) => rank[a.result] - rank[b.result])
  const width = Math.max(...findings.map(({ about }) => about.length)) + MARGIN
  const lines = sorted.map(({ about, result, detail }) => {
    const word = styleText(COLOUR[result], result.padEnd(4 + MARGIN), { stream: process.stdout })
    return `${word}${about.padEnd(width)}${detail}`
  })
  const count = (result: Finding["result"]) => findings.filter((one) => one.result === result).length
  return `${lines.join("\n")}\n\n${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} to mend`
}
