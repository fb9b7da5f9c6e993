import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"

/** Lists every setting; a test compares it with the settings that the code reads. */
const EXAMPLE = new URL("../../.env.example", import.meta.url)

/** Loads `.env` when it exists. Variables of the environment take precedence. */
export function readEnvFile(): void {
  if (existsSync(".env")) process.loadEnvFile(".env")
}

/** Names in a settings file that are not settings, for example misspelled ones, which would have no effect. */
export function unknownNames(file: string): string[] {
  if (!existsSync(file) || !existsSync(EXAMPLE)) return []
  const known = new Set(readFileSync(EXAMPLE, "utf8").match(/^#?[A-Z][A-Z0-9_]*(?==)/gm))
  const names = Object.keys(parseEnv(readFileSync(file, "utf8")))
  return names.filter((name) => !known.has(name) && !known.has(`#${name}`))
}
