import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@libsql/client/web"
import Database from "libsql"
import { createKey, startBenchStack, temporaryFolder } from "./bench-run.ts"
import { medianOf, percentile } from "./http-client.ts"
import { statsOf, workerdOf } from "./process-stats.ts"

/**
 * Runs bulk jobs over the 2,000 numbered sandbox domains and measures speed, connections and memory. The ideal time is
 * the time of a single address, times the addresses, divided by 50 servers.
 */
const SIZES = (process.env.BENCH_SIZES ?? "10000,100000").split(",").map(Number)
const LATENCY_MS = process.env.BENCH_LATENCY_MS ?? "20"
const DOMAINS = 2_000
const IDEAL_CONCURRENCY = 50
const LONE_PROBES = 15
const TURBO_ROUNDS = 15

interface Job {
  readonly status: string
  readonly progress: number
  readonly total: number
  readonly started_at: string
  readonly completed_at: string
  readonly failed: number
}

using dataDir = temporaryFolder()
const stack = await startBenchStack({
  dataDir: dataDir.path,
  settings: { SANDBOX_LATENCY_MS: LATENCY_MS, ANONYMOUS_PER_MINUTE: "100000", ANONYMOUS_PER_MONTH: "1000000" },
  onLog: (_, line) => void (/chunk_failed|unhandled_error/.test(line) && console.error(line.slice(0, 300))),
})
try {
  const key = await createKey({ url: stack.url, adminSecret: stack.secrets.adminSecret })
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const loneMs = await medianLoneMs()
  console.log(`one address alone: ${loneMs.toFixed(0)} ms (server latency ${LATENCY_MS} ms a reply)`)
  console.log("addresses  seconds  per second  connections/address  ratio to ideal  accepted in ms")
  for (const size of SIZES) await runJob(headers, { size, loneMs })
  await compareTurbo(headers)
} finally {
  await stack.stop()
}

async function runJob(
  headers: Record<string, string>,
  { size, loneMs }: { size: number; loneMs: number },
): Promise<void> {
  const emails = Array.from(
    { length: size },
    (_, n) => `${n % 7 ? "user" : "no-"}${size + n}@d${String(n % DOMAINS).padStart(4, "0")}.test`,
  )
  const memory = watchMemory({
    workerd: workerdOf(process.pid),
    node: stack.children.find(({ name }) => name === "probe-node")!.pid,
  })
  const sentAt = performance.now()
  const response = await fetch(`${stack.url}/validate/bulk/async`, {
    method: "POST",
    headers,
    body: JSON.stringify({ emails }),
  })
  const { job_id } = (await response.json()) as { job_id: string }
  const acceptedMs = performance.now() - sentAt
  let job: Job
  do {
    await sleep(500)
    job = (await (await fetch(`${stack.url}/jobs/${job_id}?limit=1`, { headers })).json()) as Job
  } while (job.status === "queued" || job.status === "running")
  const { workerd, node } = memory.stop()
  if (job.progress !== size || job.failed > 0) console.error(`done ${job.progress} of ${size}, ${job.failed} failed`)
  const seconds = (Date.parse(job.completed_at) - Date.parse(job.started_at)) / 1_000
  const ideal = (loneMs * size) / 1_000 / IDEAL_CONCURRENCY
  const cells: [string, number][] = [
    [String(size), 9],
    [seconds.toFixed(1), 9],
    [(size / seconds).toFixed(0), 12],
    [((await connections(job_id)) / size).toFixed(3), 21],
    [(seconds / ideal).toFixed(2), 16],
    [acceptedMs.toFixed(0), 13],
  ]
  console.log(cells.map(([text, width]) => text.padStart(width)).join(""))
  console.log(`           peak MB in each third of the job: workerd ${workerd.join(", ")}; node ${node.join(", ")}`)
}

/** Compares turbo of 5,000 stored results with reading the same rows from SQLite in this process. Alternates both. */
async function compareTurbo(headers: Record<string, string>): Promise<void> {
  const emails = Array.from({ length: 5_000 }, (_, n) => `user${n}@d${String(n % 500).padStart(4, "0")}.test`)
  const call = async () =>
    (
      await fetch(`${stack.url}/validate/bulk/turbo`, { method: "POST", headers, body: JSON.stringify({ emails }) })
    ).text()
  await call()
  const database = new Database(join(dataDir.path, "mailverdict.db"), { readonly: true })
  const rows = database.prepare("SELECT r.* FROM json_each(?) AS j CROSS JOIN results AS r ON r.address = j.value")
  const times: { turbo: number; direct: number }[] = []
  for (let round = 0; round < TURBO_ROUNDS; round++) {
    const turbo = await timed(call)
    const direct = await timed(async () => JSON.stringify(rows.all(JSON.stringify(emails))))
    times.push({ turbo, direct })
  }
  database.close()
  const turbo = medianOf(times, (one) => one.turbo)
  const direct = medianOf(times, (one) => one.direct)
  console.log(
    `turbo of 5,000 stored results: ${turbo.toFixed(0)} ms; the same rows read directly: ${direct.toFixed(0)} ms`,
  )
  console.log(`speed relative to direct reading: ${(direct / turbo).toFixed(2)} (at least 0.5)`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Counts sessions in the evidence. Times to connect and to greet, in microseconds, identify a session. */
async function connections(jobId: string): Promise<number> {
  const client = createClient({ url: stack.databaseUrl, authToken: stack.secrets.libsqlToken })
  const { rows } = await client.execute({
    sql: `SELECT count(DISTINCT json_extract(evidence, '$.mailbox.session.mxHost', '$.mailbox.session.sourceIp',
      '$.mailbox.session.connectMs', '$.mailbox.session.greeting.ms')) AS n FROM job_items WHERE job_id = ?`,
    args: [jobId],
  })
  client.close()
  return Number(rows[0]?.n)
}

async function medianLoneMs(): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < LONE_PROBES; n++) {
    const address = `user${n}@d${String(1_900 + n)}.test`
    const answer = (await (await fetch(`${stack.url}/validate/checks?email=${address}`)).json()) as {
      checks: { smtp_total_ms: number }
    }
    times.push(answer.checks.smtp_total_ms)
  }
  return percentile(times, 0.5)
}

/** Samples the resident memory of each process. Returns its peak in each third of the time, in MB. */
function watchMemory(pids: { workerd: number; node: number }) {
  const samples: { workerd: number; node: number }[] = []
  const timer = setInterval(
    () => samples.push({ workerd: statsOf(pids.workerd).rssMb, node: statsOf(pids.node).rssMb }),
    200,
  )
  const thirds = (of: "workerd" | "node") =>
    [0, 1, 2].map((third) => {
      const [from, to] = [(third * samples.length) / 3, ((third + 1) * samples.length) / 3].map(Math.floor)
      return Math.max(...samples.slice(from, to).map((sample) => sample[of])).toFixed(0)
    })
  return {
    stop() {
      clearInterval(timer)
      return { workerd: thirds("workerd"), node: thirds("node") }
    },
  }
}
