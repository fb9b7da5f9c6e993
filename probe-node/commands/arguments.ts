import { existsSync, readFileSync } from "node:fs"
import { type ParseArgsConfig, parseArgs } from "node:util"
import { NODE_SECRETS, readSecretFiles } from "../../schema/wire/secret-files.ts"

export const SETTINGS_FILE = "probe.env"

type Options = NonNullable<ParseArgsConfig["options"]>

type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O & { settings: { type: "string" } }; allowPositionals: true }>
>

export type Arguments<O extends Options> = ({ ok: true } & Values<O>) | { ok: false; problems: string[] }

/**
 * Parses a command's options and loads its settings from --settings, else from probe.env in the working directory.
 * The environment takes precedence. A secret may stand in the file that NAME_FILE names. The option is not called --env-file, because Node.js has that option itself.
 * @param mayLack the file may be missing
 */
export function readArguments<O extends Options>(args: string[], options: O, mayLack = false): Arguments<O> {
  const config = {
    args,
    options: { ...options, settings: { type: "string" as const } },
    allowPositionals: true as const,
  }
  try {
    const read = parseArgs(config)
    const { settings = SETTINGS_FILE } = read.values as { settings?: string }
    if (existsSync(settings) || !(mayLack || settings === SETTINGS_FILE)) process.loadEnvFile(settings)
    const { values, problems } = readSecretFiles(process.env, NODE_SECRETS, (path) => readFileSync(path, "utf8"))
    if (problems.length > 0) return { ok: false, problems: [...problems] }
    Object.assign(process.env, values)
    return { ok: true, ...read } as Arguments<O>
  } catch (error) {
    return { ok: false, problems: [(error as Error).message] }
  }
}

/** Prints all problems and sets the exit code 1. */
export function fail(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`probe node: ${problem}\n`)
  process.exitCode = 1
}
