import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { SHIPPED_DISPOSABLE } from "../../src/domain/reference/active-lists.ts"
import { DISPOSABLE_CORE } from "../../src/domain/reference/reviewed-domains.ts"
import { setReferenceData } from "../../src/domain/reference/tables.ts"
import { readReferenceData } from "../build/reference-data.ts"
import { buildLists, describeMeasures, measureDisposable } from "./lists/build-lists.ts"
import { describeSource, installSources, type ListSource, readSource, SOURCES } from "./lists/sources.ts"
import { packFilter, renderFree, renderPacked, renderTopLevel } from "./lists/write-lists.ts"

/** 2^-17 is 7.6 false positives in a million, below the allowed 1e-5. */
const FINGERPRINT_BITS = 17

const { values: options } = parseArgs({
  options: {
    /** A JSON file of ListSource records that replaces SOURCES. */
    sources: { type: "string" },
    /** A folder that already contains the packages. */
    installed: { type: "string" },
    /** The date in the version. */
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
  },
})

const sources: readonly ListSource[] = options.sources ? JSON.parse(readFileSync(options.sources, "utf8")) : SOURCES
const folder = options.installed ?? mkdtempSync(join(tmpdir(), "lists-"))
try {
  setReferenceData(readReferenceData())
  const before = measureDisposable(SHIPPED_DISPOSABLE)
  if (!options.installed) installSources(folder, sources)
  const built = buildLists(sources.map((source) => ({ source, domains: readSource(folder, source) })))
  for (const line of built.summary) console.log(line)
  const after = measureDisposable(new Set([...DISPOSABLE_CORE, ...built.disposable]))
  for (const line of describeMeasures({ before, after })) console.log(line)

  const content = [built.disposable, built.free, built.education, built.topLevel]
    .map((names) => names.join("\n"))
    .join("\n\n")
  const version = `${options.date}-${createHash("sha256").update(content).digest("hex").slice(0, 8)}`
  const pack = (names: readonly string[]) => packFilter({ names, absent: built.honest, bits: FINGERPRINT_BITS })
  const disposable = pack(built.disposable)
  const education = packFilter({ names: built.education, absent: built.notSchools, bits: FINGERPRINT_BITS })
  const described = [...new Set(sources.map((source) => describeSource(folder, source)))]
  write("domain/reference/packed-data.ts", renderPacked({ version, sources: described, disposable, education }))
  write("data/disposable.fuse", disposable.data)
  write("data/education.fuse", education.data)
  write("data/free-domains.txt", renderFree(built.free))
  const root = sources.filter(({ lists }) => lists === "top_level").map((source) => describeSource(folder, source))
  write("data/top-level-domains.txt", renderTopLevel(built.topLevel, { source: root.join(", "), date: options.date }))
  console.log(`version ${version}`)
} finally {
  if (!options.installed) rmSync(folder, { recursive: true, force: true })
}

function write(file: string, content: string | Uint8Array): void {
  writeFileSync(fileURLToPath(new URL(`../../src/${file}`, import.meta.url)), content)
  console.log(`${file}: ${content.length} bytes, ${gzipSync(content, { level: 9 }).length} compressed`)
}
