import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"

/** Has every setting; a test holds it against what is read. */
const EXAMPLE = new URL("../.env.example", import.meta.url)

/** Takes the settings of `.env`, where there is one; what is set in the environment wins. */
export function readEnvFile(): void {
  if (existsSync(".env")) process.loadEnvFile(".env")
}

/** Names in a file of settings that are none: mistyped, a setting does nothing and nobody says so. */
export function unknownNames(file: string): string[] {
  if (!existsSync(file) || !existsSync(EXAMPLE)) return []
  const known = new Set(readFileSync(EXAMPLE, "utf8").match(/^#?[A-Z][A-Z0-9_]*(?==)/gm))
  const names = Object.keys(parseEnv(readFileSync(file, "utf8")))
  return names.filter((name) => !known.has(name) && !known.has(`#${name}`))
}
