import { existsSync } from "node:fs"
import { type ParseArgsConfig, parseArgs } from "node:util"

const ENV_FILE = "probe.env"

type Options = NonNullable<ParseArgsConfig["options"]>

type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & { "env-file": { type: "string" } }; allowPositionals: true }>
>

export type Arguments<O extends Options> = ({ ok: true } & Values<O>) | { ok: false; problems: string[] }

/**
 * Reads a command's options and loads its settings: from --env-file, else from probe.env where the command is run.
 * What is set in the environment already wins.
 */
export function readArguments<O extends Options>(args: string[], options: O): Arguments<O> {
  const config = {
    args,
    options: { ...options, "env-file": { type: "string" as const } },
    allowPositionals: true as const,
  }
  try {
    const read = parseArgs(config)
    const file = (read.values as { "env-file"?: string })["env-file"]
    if (file !== undefined || existsSync(ENV_FILE)) process.loadEnvFile(file ?? ENV_FILE)
    return { ok: true, ...read } as Arguments<O>
  } catch (error) {
    return { ok: false, problems: [(error as Error).message] }
  }
}

/** Says everything that is wrong, and ends with a code that a supervisor sees. */
export function fail(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`probe node: ${problem}\n`)
  process.exitCode = 1
}
