import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** The entry module of a bundle, and the folder of the modules that it loads. */
export const ENTRY_MODULE = "worker.mjs"
export const CHUNK_FOLDER = "chunks"

/** The modules of a bundle as its code names them, the entry first: "worker.mjs", "chunks/stripe-AB12CD34.mjs". */
export function modulesOf(script: string): string[] {
  const chunks = join(dirname(script), CHUNK_FOLDER)
  const names = existsSync(chunks) ? readdirSync(chunks).filter((name) => name.endsWith(".mjs")) : []
  return [basename(script), ...names.map((name) => `${CHUNK_FOLDER}/${name}`)]
}
