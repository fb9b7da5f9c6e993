import type { PackedFilter } from "../../../src/domain/lists/fuse-filter.ts"

const NOTE = "// Written by scripts/data/update-lists.ts; run it again instead of editing.\n"

export function renderPacked(input: {
  version: string
  sources: readonly string[]
  disposable: PackedFilter
  education: PackedFilter
}): string {
  const sources = input.sources.map((source) => `  "${source}",\n`).join("")
  return `${NOTE}import type { PackedFilter } from "./fuse-filter.ts"

export const LIST_VERSION = "${input.version}"

export const LIST_SOURCES: readonly string[] = [
${sources}]

/** Domains at least two public lists of disposable domains agree on, or one knows at first hand. */
export const PUBLIC_DISPOSABLE_PACK: PackedFilter = ${renderFilter(input.disposable)}

/** Schools and universities outside the names registries reserve for them. */
export const EDUCATION_PACK: PackedFilter = ${renderFilter(input.education)}
`
}

/** One name a line, so that a change can be reviewed. */
export function renderFree(names: readonly string[]): string {
  return `${NOTE}import { words } from "./word-table.ts"

/** Free mail domains at least two public lists agree on and no list calls disposable. */
export const FREE_PUBLIC = words(\`
${names.join("\n")}
\`)
`
}

function renderFilter({ seed, size, segmentLength, segmentCount, bits, used, cells }: PackedFilter): string {
  return `{
  seed: ${seed},
  size: ${size},
  segmentLength: ${segmentLength},
  segmentCount: ${segmentCount},
  bits: ${bits},
  used: "${used}",
  cells:
    "${cells}",
}`
}
