import type { FilterShape } from "../../../src/domain/reference/fuse-filter.ts"

const NOTE = "// Written by scripts/data/update-lists.ts; run it again instead of editing.\n"
const FREE_NOTE = `# Written by scripts/data/update-lists.ts; run it again instead of editing.
# Free mail domains at least two public lists agree on and no list calls disposable.
`

export function renderPacked(input: {
  version: string
  sources: readonly string[]
  disposable: FilterShape
  education: FilterShape
}): string {
  const sources = input.sources.map((source) => `  "${source}",\n`).join("")
  return `${NOTE}import type { FilterShape } from "./fuse-filter.ts"

export const LIST_VERSION = "${input.version}"

export const LIST_SOURCES: readonly string[] = [
${sources}]

/** disposable.fuse: domains that a public list knows at first hand, or that state their purpose. */
export const PUBLIC_DISPOSABLE_SHAPE: FilterShape = ${renderShape(input.disposable)}

/** education.fuse: schools and universities outside the names registries reserve for them. */
export const EDUCATION_SHAPE: FilterShape = ${renderShape(input.education)}
`
}

/** One name a line, so that a change can be reviewed. */
export function renderFree(names: readonly string[]): string {
  return `${FREE_NOTE}${names.join("\n")}\n`
}

/** Lines of about 120 characters. @param source such as "tlds 1.261.0 (MIT)" @param date such as 2026-11-22 */
export function renderTopLevel(names: readonly string[], { source, date }: { source: string; date: string }): string {
  const lines = names.join(" ").replace(/(.{1,119})(?: |$)/g, "$1\n")
  return `${topLevelNote(source, date)}${lines}`
}

const topLevelNote = (
  source: string,
  date: string,
) => `# Written by scripts/data/update-lists.ts; run it again instead of editing.
# Top-level domains of the root zone in A-label form, from ${source}, a copy of IANA's list, on ${date}.
`

function renderShape({ seed, size, segmentLength, segmentCount, bits }: FilterShape): string {
  return `{
  seed: ${seed},
  size: ${size},
  segmentLength: ${segmentLength},
  segmentCount: ${segmentCount},
  bits: ${bits},
}`
}
