import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { encodeReferenceFile } from "../../src/adapters/reference/reference-file.ts"
import type { ReferenceData } from "../../src/domain/reference/tables.ts"

const FOLDER = fileURLToPath(new URL("../../src/data", import.meta.url))

/** Reads the tables of src/data, sorted by their paths. */
export function readReferenceData(): ReferenceData {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return new Map(paths.map((path) => [relative(FOLDER, path).replaceAll(sep, "/"), readFileSync(path)]))
}

/** The asset with all tables, and its path, which contains a hash of its content. */
export function referenceAsset(): { path: string; content: Uint8Array } {
  const content = encodeReferenceFile(readReferenceData())
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16)
  return { path: `reference/${hash}.bin`, content }
}
