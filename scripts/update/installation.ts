import { spawn } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

/** A state of the code. */
export interface Code {
  /** Of package.json. */
  readonly version: string
  readonly commit: string
  /** The branch, tag or commit of a clone, or the folder of a release. */
  readonly ref: string
}

/** Code to update to. */
export interface Target extends Code {
  /** Reads one of its files. @param path from its root @returns null when it has no such file */
  read(path: string): Promise<string | null>
}

/** What the caller wants to update to. Without both: the newest release tag of a clone. */
export interface Wanted {
  /** A tag, branch or commit. */
  readonly to?: string | undefined
  /** The archive of a release. */
  readonly from?: string | undefined
}

/** Reports each step of a change. */
export type OnStep = (step: string) => void

/** One of the two forms of installation: a git clone, or an unpacked release. */
export interface Installation {
  readonly root: string
  /** The code in use. */
  current(): Promise<Code>
  /** @returns null when the installation has it already @throws Error that says how to name another target */
  findTarget(wanted: Wanted, onStep: OnStep): Promise<Target | null>
  /** Reasons not to switch, and what to do about each. */
  problemsOf(target: Target): Promise<readonly string[]>
  /**
   * Makes code ready to run beside the code in use, which stays as it is: files, packages, build.
   * @returns the folder whose npm commands are those of the code
   */
  prepare(code: Code, onStep: OnStep): Promise<string>
  /** Lets the next start use prepared code. @throws Error after a failure, when the former code is in use as before */
  activate(code: Code): Promise<void>
  /** Removes what `prepare` and `activate` leave behind. */
  cleanUp(): Promise<void>
}

/** "0.2.0 (v0.2.0, 1a2b3c4d5e6f)" */
export function nameOf({ version, commit, ref }: Code): string {
  const short = commit.slice(0, 12)
  return `${version} (${ref === commit || ref === version ? short : `${ref}, ${short}`})`
}

/** The version in the text of a package.json. */
export function versionIn(manifest: string): string {
  return (JSON.parse(manifest) as { version: string }).version
}

/** Reads a file of the running code; empty when it is missing. */
export function readOwn(root: string, path: string): string {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const RecordedCode = z.object({ version: z.string(), commit: z.string(), ref: z.string() })
const Record = z.object({
  kind: z.enum(["update", "rollback"]),
  /** "started" stays after an interruption. */
  state: z.enum(["started", "done", "failed", "rolled_back"]),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  from: RecordedCode,
  to: RecordedCode,
  /** The folder of the backup that was taken before. Null: there was no database. */
  backup: z.string().nullable(),
  /** Names of the migrations that were to apply. */
  migrations: z.array(z.string()),
  problem: z.string().nullable(),
})
export type UpdateRecord = z.infer<typeof Record>

const Records = z.object({ updates: z.array(Record) })
/** In DATA_DIR. */
export const RECORDS = "updates.json"
/** Older ones are dropped. */
const KEPT = 100

/** The updates and rollbacks of an installation, oldest first. @throws Error when the file is damaged */
export function readRecords(dataDir: string): UpdateRecord[] {
  const file = join(dataDir, RECORDS)
  if (!existsSync(file)) return []
  try {
    return Records.parse(JSON.parse(readFileSync(file, "utf8"))).updates
  } catch (error) {
    throw new Error(`${file} is damaged: move it away`, { cause: error })
  }
}

/** Replaces the records. Other users cannot read the file. */
export function writeRecords(dataDir: string, records: readonly UpdateRecord[]): void {
  const file = join(dataDir, RECORDS)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.unfinished`, `${JSON.stringify({ updates: records.slice(-KEPT) }, null, 2)}\n`, {
    mode: 0o600,
  })
  const owner = ownerOf(dataDir)
  if (owner) chownSync(`${file}.unfinished`, owner.uid, owner.gid)
  renameSync(`${file}.unfinished`, file)
}

/** The account of the data when it is another one than root, which runs this. Undefined: the own account is right. */
export function ownerOf(dataDir: string): Owner | undefined {
  if (process.getuid?.() !== 0 || !existsSync(dataDir)) return undefined
  const { uid, gid } = statSync(dataDir)
  return uid === 0 ? undefined : { uid, gid }
}

/** Lines of a failed command's output that its error shows. */
const SHOWN_LINES = 15
/** What a terminal and systemd send. */
const INTERRUPTIONS: readonly unknown[] = ["SIGINT", "SIGTERM", "SIGHUP"]
/** How often a command starts when an interruption ends it before it has a process group of its own. */
const STARTS = 5
/** As it was before the settings file was read: git, npm and the scripts of packages need none of the service's secrets. */
const GIVEN: NodeJS.ProcessEnv = { ...process.env }

/** The account that owns files, as numbers of the system. */
interface Owner {
  readonly uid: number
  readonly gid: number
}

interface CommandOptions {
  readonly cwd: string
  /** Instead of the environment of `npm run update`. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** Runs as this account instead of the own one. Only root may name another. */
  readonly owner?: Owner | undefined
  /**
   * Ctrl+C in the terminal does not end it, because it has a process group of its own. A signal that arrives before it has
   * that group ends it, and it starts again.
   */
  readonly isUninterrupted?: boolean
}

/**
 * Runs a program to its end, without a shell.
 * @returns what it printed to stdout, without the last line break
 * @throws Error with the command and the end of its output when it fails
 */
export async function run(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  let ended = await runProgram(program, args, options)
  for (let starts = 1; starts < STARTS && options.isUninterrupted && INTERRUPTIONS.includes(ended.code); starts++)
    ended = await runProgram(program, args, options)
  const { code, stdout, output } = ended
  if (code === 0) return stdout.trimEnd()
  const end = output.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n")
  const reason = typeof code === "number" ? `failed (exit code ${code})` : `was ended by ${code}`
  throw new Error(`\`${[program, ...args].join(" ")}\` ${reason}${end === "" ? "" : `:\n${end}`}`)
}

/** Runs a program whose exit code is its answer. @returns whether the code is 0 */
export async function succeeds(program: string, args: readonly string[], options: CommandOptions): Promise<boolean> {
  return (await runProgram(program, args, options)).code === 0
}

async function runProgram(program: string, args: readonly string[], options: CommandOptions) {
  const { cwd, env = GIVEN, owner, isUninterrupted = false } = options
  const child = spawn(program, args, {
    cwd,
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
    ...owner,
    detached: isUninterrupted,
  })
  let [stdout, output] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    output += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text
  })
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`\`${program}\` cannot run: ${error.message}`)))
    child.once("close", (exit, signal) => resolve(exit ?? signal ?? "a signal"))
  })
  return { code, stdout, output }
}

/** npm passes its own settings and the folder of its package to scripts. They would reach npm in another folder. */
function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name))
  // git asks for no password: without a terminal it would wait forever.
  return { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: "0" }
}
