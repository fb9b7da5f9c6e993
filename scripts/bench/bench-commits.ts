import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client"
import { startChild } from "../dev/child.ts"
import { HttpClient, percentile } from "./http-client.ts"
import { cpuMsOf } from "./process-stats.ts"

/**
 * Commits of one row a second in the database server of `npm start`, its processor time for each, and the time of a read
 * meanwhile. A row has 1.5 KB and an index. The result depends on the disk: BENCH_DATA_DIR names a folder on another one.
 */

const CALLERS = (process.env.BENCH_CALLERS ?? "1,8,32").split(",").map(Number)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const ROUND_MS = 1_000 * Number(process.env.BENCH_SECONDS ?? 2)
const AUTH_TOKEN = "bench"
const HEADERS = { authorization: `Bearer ${AUTH_TOKEN}`, "content-type": "application/json" }
const CONTENT = "x".repeat(1_500)

interface Round {
  readonly perSecond: number
  readonly cpuMs: number
  readonly writeMs: number
  readonly readMs: number
}

const folder = mkdtempSync(join(process.env.BENCH_DATA_DIR ?? tmpdir(), "mailverdict-commits-"))
const database = await startChild("database", "scripts/libsql-server/main.ts", {
  env: { DATA_DIR: folder, LIBSQL_PORT: "0", LIBSQL_AUTH_TOKEN: AUTH_TOKEN },
  onLine: (line) => console.error(line),
})
const url = /http:\S+\d/.exec(database.readyLine)![0]
const client = new HttpClient(url)
let lastId = 0
try {
  await createClient({ url, authToken: AUTH_TOKEN }).executeMultiple(
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT, content TEXT); CREATE INDEX entry_name ON entry (name)",
  )
  const rounds = new Map<number, Round[]>(CALLERS.map((callers) => [callers, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [callers, measured] of rounds) {
      const one = await measure(callers)
      // The first round is a warm-up.
      if (round > 0) measured.push(one)
    }
  }
  report(rounds)
} finally {
  client.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(callers: number): Promise<Round> {
  const endsAt = performance.now() + ROUND_MS
  const cpuBefore = cpuMsOf(database.pid)
  const [writes, reads]: [number[], number[]] = [[], []]
  const caller = async (call: () => object, times: number[]) => {
    while (performance.now() < endsAt) times.push(await timeOf(call()))
  }
  await Promise.all([
    ...Array.from({ length: callers }, () => caller(insertion, writes)),
    // One reader: its processor time is part of the result, and small beside that of the writers.
    caller(selection, reads),
  ])
  return {
    perSecond: (writes.length * 1_000) / ROUND_MS,
    cpuMs: (cpuMsOf(database.pid) - cpuBefore) / (writes.length + reads.length),
    writeMs: percentile(writes, 0.5),
    readMs: percentile(reads, 0.5),
  }
}

async function timeOf(request: object): Promise<number> {
  const startedAt = performance.now()
  const body = { requests: [request, { type: "close" }] }
  const answer = await client.call({ method: "POST", path: "/v2/pipeline", headers: HEADERS, body })
  if (answer.status !== 200 || answer.body.includes('"error":')) throw new Error(`${answer.status} ${answer.body}`)
  return performance.now() - startedAt
}

/** A transaction in the form of `@libsql/client`: its steps follow each other, and an error rolls it back. */
function insertion(): object {
  const id = ++lastId
  const args = [{ type: "integer", value: String(id) }, text(`name-${(id * 7919) % 1_000_003}`), text(CONTENT)]
  const statements = [
    { sql: "BEGIN IMMEDIATE" },
    { sql: "INSERT INTO entry VALUES (?, ?, ?)", args },
    { sql: "COMMIT" },
  ]
  const steps = statements.map((stmt, n) => (n === 0 ? { stmt } : { stmt, condition: { type: "ok", step: n - 1 } }))
  const rollback = { stmt: { sql: "ROLLBACK" }, condition: { type: "not", cond: { type: "ok", step: 2 } } }
  return { type: "batch", batch: { steps: [...steps, rollback] } }
}

function selection(): object {
  const id = String(1 + Math.floor(Math.random() * lastId))
  return { type: "execute", stmt: { sql: "SELECT * FROM entry WHERE id = ?", args: [{ type: "integer", value: id }] } }
}

function text(value: string): object {
  return { type: "text", value }
}

function report(rounds: ReadonlyMap<number, readonly Round[]>): void {
  console.log(`${ROUNDS} rounds of ${ROUND_MS / 1_000} s; medians`)
  console.log(["callers", "commits/s", "CPU ms", "write ms", "read ms"].map((one) => one.padStart(10)).join(""))
  for (const [callers, measured] of rounds) {
    const median = (of: (round: Round) => number) => percentile(measured.map(of), 0.5)
    const cells = [
      callers,
      median(({ perSecond }) => perSecond).toFixed(0),
      median(({ cpuMs }) => cpuMs).toFixed(2),
      median(({ writeMs }) => writeMs).toFixed(1),
      median(({ readMs }) => readMs).toFixed(1),
    ]
    console.log(cells.map((cell) => String(cell).padStart(10)).join(""))
  }
}
