import { spawn } from "node:child_process"

/** Lines of a failed command's output that its error shows. */
const SHOWN_LINES = 15
/** What a terminal and systemd send. */
const INTERRUPTIONS: readonly unknown[] = ["SIGINT", "SIGTERM", "SIGHUP"]
/** How often a command starts when an interruption ends it before it has a process group of its own. */
const STARTS = 5
/** As it was before the settings file was read: git, npm and the scripts of packages need none of the service's secrets. */
const GIVEN: NodeJS.ProcessEnv = { ...process.env }

/** The account that owns files, as numbers of the system. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface CommandOptions {
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
    ...{ cwd, env: environment(env), stdio: ["ignore", "pipe", "pipe"], ...owner },
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
