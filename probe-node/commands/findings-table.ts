import type { DoctorFinding, DoctorReport } from "../../schema/wire/health.ts"
import { type Colour, paint } from "./paint.ts"
import { printable } from "./transcript.ts"

const COLOURS: Readonly<Record<DoctorFinding["result"], Colour>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
  unknown: "gray",
}
const RESULT_WIDTH = 7
const NARROWEST = 30

interface Screen {
  readonly coloured: boolean
  /** Columns. */
  readonly width: number
}

/** The findings as a table for a terminal: result, check, what it is about and what to do, wrapped under itself. */
export function findingsTable({ findings, fit }: DoctorReport, { coloured, width }: Screen): string {
  const widths = {
    check: Math.max(5, ...findings.map(({ check }) => check.length)),
    subject: Math.max(5, ...findings.map(({ subject }) => subject?.length ?? 0)),
  }
  const indent = RESULT_WIDTH + 2 + widths.check + 2 + widths.subject + 2
  const rows = findings.map(({ result, check, subject, detail }) => {
    const cells = [
      paint(result.padEnd(RESULT_WIDTH), COLOURS[result], coloured),
      check.padEnd(widths.check),
      (subject ?? "").padEnd(widths.subject),
      wrap(printable(detail), Math.max(NARROWEST, width - indent)).join(`\n${" ".repeat(indent)}`),
    ]
    return cells.join("  ")
  })
  return [...rows, "", paint(summary(fit, findings), fit ? "green" : "red", coloured)].join("\n")
}

function summary(fit: boolean, findings: readonly DoctorFinding[]): string {
  const count = (wanted: DoctorFinding["result"]) => findings.filter(({ result }) => result === wanted).length
  const rest = `${count("fail")} fail, ${count("warn")} warn, ${count("unknown")} unknown, ${count("ok")} ok`
  return fit ? `fit: ${rest}` : `unfit, and not asked by the edge until what fails is repaired: ${rest}`
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
