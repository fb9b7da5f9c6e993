import type { DoctorFinding, DoctorReport } from "../../schema/wire/health.ts"
import { readSettings } from "../config.ts"
import { examineNode } from "../doctor/examine.ts"
import { createEngine } from "../probe.ts"
import { fail, readArguments } from "./arguments.ts"
import { type Color, paint, printable, wantsColor } from "./terminal.ts"

/** Checks this node and prints the findings. The exit code is 1 when the node is unfit. */
export async function doctor(args: string[]): Promise<void> {
  const given = readArguments(args, { json: { type: "boolean" } })
  if (!given.ok) return fail(given.problems)
  const read = readSettings(process.env)
  if (!read.ok) return fail(read.problems)
  if (process.stderr.isTTY)
    process.stderr.write("Checking DNS, blocklists and mail hosts. This takes up to 25 seconds.\n")
  const aborter = new AbortController()
  process.once("SIGINT", () => aborter.abort())
  const report = await examineNode(read.settings, createEngine(read.settings), aborter.signal)
  const text = given.values.json
    ? JSON.stringify(report, null, 2)
    : findingsTable(report, { colored: wantsColor(process.stdout), width: process.stdout.columns ?? 110 })
  process.stdout.write(`${text}\n`)
  if (!report.fit) process.exitCode = 1
}

const COLORS: Readonly<Record<DoctorFinding["result"], Color>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
  unknown: "gray",
}
const RESULT_WIDTH = 7
const NARROWEST = 30

/** Formats the findings as a table: result, check, subject and wrapped detail. @param width columns of the terminal */
export function findingsTable(
  { findings, fit }: DoctorReport,
  { colored, width }: { colored: boolean; width: number },
): string {
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
