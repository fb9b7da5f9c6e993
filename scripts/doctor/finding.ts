import { styleText } from "node:util"

/** The result of one check. `fail`: fix it before production. `warn`: a feature or some safety is missing. */
export interface Finding {
  readonly about: string
  readonly result: "ok" | "warn" | "fail"
  /** The finding and what to do about it. Never contains the value of a setting. */
  readonly detail: string
}

const finding =
  (result: Finding["result"]) =>
  (about: string, detail: string): Finding => ({ about, result, detail })
export const ok = finding("ok")
export const warn = finding("warn")
export const fail = finding("fail")

const COLOR = { ok: "green", warn: "yellow", fail: "red" } as const
const MARGIN = 2

/** The findings as a table. The worst come last, where a terminal shows them. */
export function tableOf(findings: readonly Finding[]): string {
  const rank = Object.keys(COLOR)
  const sorted = findings.toSorted((a, b) => rank.indexOf(a.result) - rank.indexOf(b.result))
  const width = Math.max(...findings.map(({ about }) => about.length)) + MARGIN
  const lines = sorted.map(({ about, result, detail }) => {
    const word = styleText(COLOR[result], result.padEnd(4 + MARGIN), { stream: process.stdout })
    return `${word}${about.padEnd(width)}${detail}`
  })
  const count = (result: Finding["result"]) => findings.filter((one) => one.result === result).length
  return `${lines.join("\n")}\n\n${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail`
}
