import { existsSync, globSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runScript } from "../dev/child.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const GENERATED = "src/client/operations.ts"
/** Generates types. It is missing after `npm ci --omit=dev`, where nothing imports the generated file. */
const GENERATOR = "node_modules/json-schema-to-typescript"
/** What the published document follows from. Client and console read it only. */
const SOURCES = [
  "src/*.ts",
  "src/!(client|console)/**/*.ts",
  "schema/**/*.ts",
  "scripts/build/*.ts",
  "package-lock.json",
]

const changedAt = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Generates `src/client/operations.ts` when it is missing or older than its sources. Programs and tests import it, and it
 * is not committed. A process of its own generates it, because the whole interface is loaded for it.
 */
export async function ensureOperations(): Promise<void> {
  if (!existsSync(join(root, GENERATOR))) return
  const generatedAt = changedAt(GENERATED)
  if (globSync(SOURCES, { cwd: root }).some((path) => changedAt(path) > generatedAt))
    await runScript("scripts/build/client-operations.ts", [])
}

if (import.meta.main) await ensureOperations()
