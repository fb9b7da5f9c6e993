/**
 * A set of names as a 4-wise binary fuse filter (Graf and Lemire, 2022): a name is present when the XOR of four cells equals
 * its fingerprint. Chosen over a plain list because 150,000 names are 800 KB compressed as text and 330 KB like this, one
 * look-up reads four cells, and nothing is parsed but base64. The price: names cannot be read back, and an absent name
 * answers "present" once in 2^bits. The builder re-seeds until no name we know to be honest is among those.
 */
export interface PackedFilter {
  readonly seed: number
  /** Number of names packed. */
  readonly size: number
  /** Cells per segment, a power of two. A name's four cells lie in four consecutive segments. */
  readonly segmentLength: number
  /** Segments a name's first cell can lie in; three more follow. */
  readonly segmentCount: number
  /** Width of a fingerprint: 8 to 24 bits. */
  readonly bits: number
  /** One bit a cell, in base64: set when the cell is used. The others are zero and not stored, a tenth of them all. */
  readonly used: string
  /** The used cells, `bits` wide, little-endian, in base64. */
  readonly cells: string
}

/** Anything that can say whether a domain (A-label, lower case) belongs to it. */
export interface DomainSet {
  has(domain: string): boolean
}

/** Unpacks at the first look-up, not at start-up. */
export function fuseFilter(packed: PackedFilter): DomainSet & { readonly size: number } {
  let cells: Cells | undefined
  return {
    size: packed.size,
    has(domain) {
      cells ??= unpack(packed)
      const { positions, fingerprint } = locate(domain, packed)
      let found = 0
      for (const position of positions) found ^= readCell(cells, position)
      return found === fingerprint
    },
  }
}

/** Where a name's four cells are and what they must XOR to. The builder and the reader share it. */
export function locate(
  name: string,
  shape: Pick<PackedFilter, "seed" | "segmentLength" | "segmentCount" | "bits">,
): { positions: readonly [number, number, number, number]; fingerprint: number } {
  const [low, high] = hash64(name, shape.seed)
  const start = Math.floor((high / 2 ** 32) * shape.segmentCount) * shape.segmentLength
  const mask = shape.segmentLength - 1
  const more = mix(low ^ Math.imul(high, 0x9e3779b1))
  const { segmentLength } = shape
  return {
    positions: [
      start + (low & mask),
      start + segmentLength + ((low >>> 16) & mask),
      start + 2 * segmentLength + (more & mask),
      start + 3 * segmentLength + ((more >>> 16) & mask),
    ],
    fingerprint: mix(more ^ high) & (2 ** shape.bits - 1),
  }
}

interface Cells {
  readonly bits: number
  readonly used: Uint8Array
  /** Used cells before each byte of `used`. */
  readonly before: Uint32Array
  readonly stored: Uint8Array
}

function unpack({ bits, used: usedText, cells }: PackedFilter): Cells {
  const used = decodeBase64(usedText)
  const before = new Uint32Array(used.length)
  for (let at = 1; at < used.length; at++) before[at] = (before[at - 1] ?? 0) + countBits(used[at - 1] ?? 0)
  return { bits, used, before, stored: decodeBase64(cells) }
}

function readCell({ bits, used, before, stored }: Cells, position: number): number {
  const byte = used[position >>> 3] ?? 0
  const inByte = position & 7
  if (((byte >>> inByte) & 1) === 0) return 0
  const bit = ((before[position >>> 3] ?? 0) + countBits(byte & ((1 << inByte) - 1))) * bits
  const at = bit >>> 3
  const word =
    (stored[at] ?? 0) | ((stored[at + 1] ?? 0) << 8) | ((stored[at + 2] ?? 0) << 16) | ((stored[at + 3] ?? 0) << 24)
  return (word >>> (bit & 7)) & (2 ** bits - 1)
}

/** Set bits of a byte. */
function countBits(byte: number): number {
  const pairs = byte - ((byte >>> 1) & 0x55)
  const nibbles = (pairs & 0x33) + ((pairs >>> 2) & 0x33)
  return (nibbles + (nibbles >>> 4)) & 0x0f
}

/** Two independent 32-bit hashes in one pass, after MurmurHash3's multiply and finalizer. */
function hash64(name: string, seed: number): [low: number, high: number] {
  let low = seed ^ 0xdeadbeef
  let high = seed ^ 0x41c6ce57
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x85ebca77)
    high = Math.imul(high ^ unit, 0x165667b1)
    low = (low << 13) | (low >>> 19)
    high = (high << 11) | (high >>> 21)
  }
  low = mix(low ^ name.length)
  high = mix(high + low)
  return [low, high]
}

/** The MurmurHash3 32-bit finalizer. */
function mix(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function decodeBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
