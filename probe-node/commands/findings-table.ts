import type { DoctorFinding, DoctorReport } from "../../schema/wire/health.ts"
import { type Color, paint } from "./paint.ts"
import { printable } from "./transcript.ts"

const COLORS: Readonly<Record<DoctorFinding["result"], Color>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
  unknown: "gray",
}
const RESULT_WIDTH = 7
const NARROWEST = 30

interface Screen {
  readonly colored: boolean
  /** Columns. */
  readonly width: number
}

/** Formats the findings as a table for a terminal: result, check, subject and wrapped detail. */
export function findingsTable({ findings, fit }: DoctorReport, { colored, width }: Screen): string {
  const widths = {
    check: Math.max(5, ...findings.map(({ check }) => check.length)),
    subject: Math.max(5, ...findings.map(({ subject }) => subject?.length ?? 0)),
  }
  const indent = RESULT_WIDTH + 2 + widths.check + 2 + widths.subject + 2
  const rows = findings.map(({ result, check, subject, detail }) => {
    const cells = [
      paint(result.padEnd(RESULT_WIDTH), COLORS[result], colored),
      check.padEnd(widths.check),
      (subject ?? "").padEnd(widths.subject),
      wrap(printable(detail), Math.max(NARROWEST, width - indent)).join(`\n${" ".repeat(indent)}`),
    ]
    return cells.join("  ")
  })
  return [...rows, "", paint(summary(fit, findings), fit ? "green" : "red", colored)].join("\n")
}

function summary(fit: boolean, findings: readonly DoctorFinding[]): string {
  const count = (wanted: DoctorFinding["result"]) => findings.filter(({ result }) => result === wanted).length
  const rest = `${count("fail")} fail, ${count("warn")} warn, ${count("unknown")} unknown, ${count("ok")} ok`
  return fit ? `fit: ${rest}` : `unfit: the edge sends no probes until the failures are fixed: ${rest}`
}

function wrap(text: string, width: number): string[] {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines
}
