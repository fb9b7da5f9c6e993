import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { statsOf, workerdOf } from "../../scripts/bench/process-stats.ts"
import { type Child, startChild } from "../../scripts/dev/child.ts"
import { freePort } from "../../scripts/dev/parts.ts"
import { until } from "../support/time/until.ts"

const RESTARTED = "restarting it"
const WATCH_EVERY_MS = 250
const SECRETS = "secrets.json"

/** What an attack could exhaust. */
export interface Resources {
  readonly workerdMb: number
  /** Memory of all other processes of the service. The front is one of them. */
  readonly othersMb: number
  /** Open files and connections of all processes. */
  readonly handles: number
  /** Files in the data folder. */
  readonly files: number
  /** Rows of all tables. */
  readonly rows: number
}

/** The service as `npm start` runs it, in processes of its own. */
export class ServiceProcess {
  readonly url: string
  readonly adminSecret: string
  readonly #child: Child
  readonly #log: readonly string[]
  readonly #dataDir: string
  readonly #database: ReturnType<typeof createClient>

  private constructor(child: Child, { url, log, dataDir, databaseUrl }: Started) {
    const secrets = JSON.parse(readFileSync(join(dataDir, SECRETS), "utf8"))
    this.url = url
    this.adminSecret = secrets.adminSecret
    this.#child = child
    this.#log = log
    this.#dataDir = dataDir
    this.#database = createClient({ url: databaseUrl, authToken: secrets.libsqlToken })
  }

  /** @param settings besides free ports and an own data folder, which is removed at the stop */
  static async start(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-attack-"))
    const log: string[] = []
    let url = ""
    const onLine = (line: string) => {
      url ||= /running at (http:[^\s"]+)/.exec(line)?.[1] ?? ""
      // A line for each request of an attack would fill the memory of the tests.
      if (/restarting it|unhandled|ended unexpectedly/.test(line)) log.push(line)
    }
    const port = await freePort("127.0.0.1")
    const env = { PORT: "0", LIBSQL_PORT: String(port), DATA_DIR: dataDir, NODE_OPTIONS: "--max-semi-space-size=4" }
    const child = await startChild("service", "scripts/dev/start.ts", { env: { ...env, ...settings }, onLine })
    try {
      await until(
        () => url,
        (found) => found !== "",
        { withinMs: 30_000 },
      )
      return new ServiceProcess(child, { url, log, dataDir, databaseUrl: `http://127.0.0.1:${port}` })
    } catch (error) {
      await child.stop()
      rmSync(dataDir, { recursive: true, force: true })
      throw error
    }
  }

  /** The process id of workerd. */
  get workerd(): number {
    return workerdOf(this.#child.pid)
  }

  /** How often workerd has been restarted. */
  get restarts(): number {
    return this.#log.filter((line) => line.includes(RESTARTED)).length
  }

  /** Log lines about unhandled errors. */
  get bugs(): readonly string[] {
    return this.#log.filter((line) => !line.includes(RESTARTED))
  }

  async resources(): Promise<Resources> {
    const files = readdirSync(this.#dataDir, { recursive: true }).length
    return { ...this.#ofProcesses(), files, rows: await this.#countRows() }
  }

  /** Watches the processes. @returns a function that ends this and returns the most memory seen, in MB */
  watch(): () => Pick<Resources, "workerdMb" | "othersMb"> {
    let [workerdMb, othersMb] = [0, 0]
    const look = () => {
      const now = this.#ofProcesses()
      workerdMb = Math.max(workerdMb, now.workerdMb)
      othersMb = Math.max(othersMb, now.othersMb)
    }
    look()
    const timer = setInterval(look, WATCH_EVERY_MS)
    return () => {
      clearInterval(timer)
      look()
      return { workerdMb, othersMb }
    }
  }

  async stop(): Promise<void> {
    this.#database.close()
    await this.#child.stop()
    rmSync(this.#dataDir, { recursive: true, force: true })
  }

  #ofProcesses(): Pick<Resources, "workerdMb" | "othersMb" | "handles"> {
    const total = { workerdMb: 0, othersMb: 0, handles: 0 }
    for (const { pid, name } of familyOf(this.#child.pid)) {
      const { rssMb, handles } = statsIfAlive(pid)
      total[name === "workerd" ? "workerdMb" : "othersMb"] += rssMb
      total.handles += handles
    }
    return total
  }

  async #countRows(): Promise<number> {
    const tables = await this.#database.execute(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    )
    const counts = tables.rows.map(({ name }) => `(SELECT count(*) FROM "${name}")`)
    const { rows } = await this.#database.execute(`SELECT ${counts.join(" + ")} AS total`)
    return Number(rows[0]!.total)
  }
}

interface Started {
  readonly url: string
  readonly log: readonly string[]
  readonly dataDir: string
  readonly databaseUrl: string
}

interface Process {
  readonly pid: number
  readonly name: string
  readonly parent: number
}

/** A process and all that it has started. */
function familyOf(pid: number): Process[] {
  const all = readdirSync("/proc").flatMap((entry) => (/^\d+$/.test(entry) ? readProcess(Number(entry)) : []))
  const below = (parent: number): Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return [...all.filter((one) => one.pid === pid), ...below(pid)]
}

function readProcess(pid: number): Process[] {
  try {
    const [, name = "", parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return [{ pid, name, parent: Number(parent) }]
  } catch {
    return [] // ended meanwhile
  }
}

function statsIfAlive(pid: number): { readonly rssMb: number; readonly handles: number } {
  try {
    return statsOf(pid)
  } catch {
    return { rssMb: 0, handles: 0 }
  }
}
