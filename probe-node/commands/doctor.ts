import { readSettings } from "../config.ts"
import { examineNode } from "../doctor/rounds.ts"
import { createEngine } from "../engine.ts"
import { fail, readArguments } from "./arguments.ts"
import { findingsTable } from "./findings-table.ts"
import { wantsColour } from "./paint.ts"

/** Examines this node and prints what it found; ends with 1 when the node is unfit. */
export async function doctor(args: string[]): Promise<void> {
  const given = readArguments(args, { json: { type: "boolean" } })
  if (!given.ok) return fail(given.problems)
  const read = readSettings(process.env)
  if (!read.ok) return fail(read.problems)
  if (process.stderr.isTTY)
    process.stderr.write("Asking DNS, blocklists and mail hosts; this takes up to 25 seconds.\n")
  const aborter = new AbortController()
  process.once("SIGINT", () => aborter.abort())
  const report = await examineNode(read.settings, createEngine(read.settings), aborter.signal)
  const text = given.values.json
    ? JSON.stringify(report, null, 2)
    : findingsTable(report, { coloured: wantsColour(process.stdout), width: process.stdout.columns ?? 110 })
  process.stdout.write(`${text}\n`)
  if (!report.fit) process.exitCode = 1
}
