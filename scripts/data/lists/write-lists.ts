import {
  type DomainSet,
  type FilterShape,
  fuseFilter,
  locate,
  type PackedFilter,
} from "../../../src/domain/reference/fuse-filter.ts"

export function renderPacked(input: {
  version: string
  sources: readonly string[]
  disposable: FilterShape
  education: FilterShape
}): string {
  const sources = input.sources.map((source) => `  "${source}",\n`).join("")
  return `// Written by scripts/data/update-lists.ts; run it again instead of editing.
import type { FilterShape } from "./fuse-filter.ts"

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
  return `# Written by scripts/data/update-lists.ts; run it again instead of editing.
# Free mail domains at least two public lists agree on and no list calls disposable.
${names.join("\n")}
`
}

/** Lines of about 120 characters. @param source such as "tlds 1.261.0 (MIT)" @param date such as 2026-11-22 */
export function renderTopLevel(names: readonly string[], { source, date }: { source: string; date: string }): string {
  const lines = names.join(" ").replace(/(.{1,119})(?: |$)/g, "$1\n")
  return `# Written by scripts/data/update-lists.ts; run it again instead of editing.
# Top-level domains of the root zone in A-label form, from ${source}, a copy of IANA's list, on ${date}.
${lines}`
}

function renderShape({ seed, size, segmentLength, segmentCount, bits }: FilterShape): string {
  return `{
  seed: ${seed},
  size: ${size},
  segmentLength: ${segmentLength},
  segmentCount: ${segmentCount},
  bits: ${bits},
}`
}

const MAX_SEEDS = 400
/** Cells per name, increased until peeling succeeds (a 4-wise fuse filter needs about 1.08 at this size). */
const FIRST_LOAD = 1.075

/** Packs names into a filter that finds all of them and none of `absent`. The same input gives the same output. */
export function packFilter(input: { names: readonly string[]; absent: readonly string[]; bits: number }): PackedFilter {
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const packed = tryPack(input.names, { seed, bits: input.bits, load: FIRST_LOAD + Math.floor(seed / 4) * 0.005 })
    if (!packed) continue
    const filter: DomainSet = fuseFilter(packed, () => packed.data)
    if (!input.absent.some((name) => filter.has(name))) return packed
  }
  throw new Error(`no seed of ${MAX_SEEDS} packs ${input.names.length} names`)
}

function tryPack(names: readonly string[], options: { seed: number; bits: number; load: number }): PackedFilter | null {
  const { seed, bits } = options
  const segmentLength = 2 ** Math.max(2, Math.floor(Math.log(names.length) / Math.log(2.91) - 0.5))
  const segmentCount = Math.max(1, Math.ceil((names.length * options.load) / segmentLength) - 3)
  const shape = { seed, size: names.length, segmentLength, segmentCount, bits }
  const located = names.map((name) => locate(name, shape))
  const values = assign(located, (segmentCount + 3) * segmentLength)
  if (!values) return null
  const isUsed = Uint32Array.from(values, (value) => (value === 0 ? 0 : 1))
  const used = values.filter((value) => value !== 0)
  return { ...shape, data: Buffer.concat([packed(isUsed, 1), packed(used, bits)]) }
}

/** Peels names off cells that only they use, then fills the cells in reverse order; null when a core remains. */
function assign(names: readonly ReturnType<typeof locate>[], cellCount: number): Uint32Array | null {
  const uses = new Uint32Array(cellCount)
  const users = new Uint32Array(cellCount)
  names.forEach(({ positions }, name) => {
    for (const position of positions) {
      uses[position]!++
      users[position]! ^= name
    }
  })
  const alone: number[] = []
  const order: (readonly [name: number, cell: number])[] = []
  for (let cell = 0; cell < cellCount; cell++) if (uses[cell] === 1) alone.push(cell)
  for (let cell = alone.pop(); cell !== undefined; cell = alone.pop()) {
    if (uses[cell] !== 1) continue
    const name = users[cell]!
    order.push([name, cell])
    for (const position of names[name]!.positions) {
      uses[position]!--
      users[position]! ^= name
      if (uses[position] === 1) alone.push(position)
    }
  }
  if (order.length !== names.length) return null
  const values = new Uint32Array(cellCount)
  for (const [name, cell] of order.toReversed()) {
    const { positions, fingerprint } = names[name]!
    values[cell] = positions.reduce((sum, position) => (position === cell ? sum : sum ^ values[position]!), fingerprint)
  }
  return values
}

/** Values `bits` wide, little-endian, one after another. */
function packed(values: Uint32Array, bits: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil((values.length * bits) / 8))
  values.forEach((value, position) => {
    for (let bit = 0; bit < bits; bit++) {
      const at = position * bits + bit
      if ((value >>> bit) & 1) bytes[at >>> 3]! |= 1 << (at & 7)
    }
  })
  return bytes
}
