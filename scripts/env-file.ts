import { existsSync } from "node:fs"

/** Takes the settings of `.env`, where there is one; what is set in the environment wins. */
export function readEnvFile(): void {
  if (existsSync(".env")) process.loadEnvFile(".env")
}
