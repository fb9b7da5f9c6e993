import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { migrate } from "../../../scripts/data/migrate.ts"
import { readRecords } from "../../../scripts/update/installation.ts"
import { startServer, writeFirstRelease } from "./first-release.ts"
import type { PublishedVersion } from "./installed-clone.ts"

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url))
const UPDATE = join(PROJECT, "scripts/update/main.ts")

export const FIRST = { version: "1.0.0", tag: "v1.0.0" }
export const SECOND = {
  ...{ version: "1.1.0", tag: "v1.1.0" },
  migration: {
    tag: "0101_second",
    sql: "ALTER TABLE results ADD later text;\n--> statement-breakpoint\nCREATE INDEX later ON results (later);",
  },
} satisfies PublishedVersion

/** Runs `npm run update` on data that the first release wrote. */
export class Updates {
  /** Holds everything of a suite. */
  readonly folder = mkdtempSync(join(tmpdir(), "mailverdict-update-"))
  dataDir = ""

  /** Writes the data that each test gets a copy of, with the migrations of this project applied. */
  async prepare(): Promise<void> {
    const dataDir = join(this.folder, "first-data")
    await writeFirstRelease(dataDir)
    const server = await startServer(dataDir)
    try {
      await migrate({ url: server.url })
    } finally {
      await server.stop()
    }
  }

  /** Replaces the data by a new copy. */
  renew(): void {
    this.dataDir = mkdtempSync(join(this.folder, "data-"))
    cpSync(join(this.folder, "first-data"), this.dataDir, { recursive: true })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  get file(): string {
    return join(this.dataDir, "mailverdict.db")
  }

  /** Runs the update in a folder. @returns its exit code and all that it printed */
  run(cwd: string, ...args: string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [UPDATE, ...args], {
      ...{ cwd, env: this.#env(), encoding: "utf8" },
    })
    return { status, text: stdout + stderr }
  }

  /** Starts the update as a group of processes, as a terminal does. */
  start(cwd: string, ...args: string[]): ChildProcess {
    return spawn(process.execPath, [UPDATE, ...args], { cwd, env: this.#env(), detached: true, stdio: "pipe" })
  }

  /** Runs a statement in a process of its own: libsql keeps a file open in its process until the garbage collector runs. */
  query(sql: string): unknown[] {
    const script = `const { default: Database } = await import("libsql")
      console.log(JSON.stringify(new Database(process.argv[1]).prepare(process.argv[2]).all()))`
    const args = ["--input-type=module", "-e", script, this.file, sql]
    return JSON.parse(execFileSync(process.execPath, args, { cwd: PROJECT, encoding: "utf8" })) as unknown[]
  }

  /** The records, as "update done". */
  states(): string[] {
    return readRecords(this.dataDir).map(({ kind, state }) => `${kind} ${state}`)
  }

  #env() {
    return { PATH: process.env.PATH, HOME: this.folder, DATA_DIR: this.dataDir }
  }
}
