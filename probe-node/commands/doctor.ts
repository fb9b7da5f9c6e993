import { readSettings } from "../config.ts"
import { examineNode } from "../doctor/schedule.ts"
import { createEngine } from "../engine.ts"
import { fail, readArguments } from "./arguments.ts"
import { findingsTable } from "./findings-table.ts"
import { wantsColor } from "./paint.ts"

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
