/** A set of names as a 4-wise binary fuse filter (Graf and Lemire, 2022), with a false positive in 2^bits. */
export interface FilterShape {
  readonly seed: number
  readonly size: number
  /** Cells per segment, a power of two. The four cells of a name are in four consecutive segments. */
  readonly segmentLength: number
  /** Segments that can contain the first cell of a name. Three more follow. */
  readonly segmentCount: number
  /** Width of a fingerprint: 8 to 24 bits. */
  readonly bits: number
}

export interface PackedFilter extends FilterShape {
  /** One bit a cell, set for a used cell, then the used cells, `bits` wide, little-endian. */
  readonly data: Uint8Array
}

/** A set of domains (A-labels, lower case) with a membership test. */
export interface DomainSet {
  has(domain: string): boolean
}

/** Returns the set of a packed filter. @param data returns the filter's bytes; called at the first lookup */
export function fuseFilter(shape: FilterShape, data: () => Uint8Array): DomainSet & { readonly size: number } {
  let cells: Cells | undefined
  return {
    size: shape.size,
    has(domain) {
      cells ??= unpack(shape, data())
      const { positions, fingerprint } = locate(domain, shape)
      let found = 0
      for (const position of positions) found ^= readCell(cells, position)
      return found === fingerprint
    },
  }
}

/** Returns the positions of a name's four cells and the XOR that they must have. The builder also uses it. */
export function locate(
  name: string,
  { seed, segmentLength, segmentCount, bits }: Omit<FilterShape, "size">,
): { positions: readonly [number, number, number, number]; fingerprint: number } {
  const [low, high] = hash64(name, seed)
  const start = Math.floor((high / 2 ** 32) * segmentCount) * segmentLength
  const mask = segmentLength - 1
  const more = mix(low ^ Math.imul(high, 0x9e3779b1))
  return {
    positions: [
      start + (low & mask),
      start + segmentLength + ((low >>> 16) & mask),
      start + 2 * segmentLength + (more & mask),
      start + 3 * segmentLength + ((more >>> 16) & mask),
    ],
    fingerprint: mix(more ^ high) & (2 ** bits - 1),
  }
}

type Cells = ReturnType<typeof unpack>

/** `before`: used cells before each byte of `used`. */
function unpack({ bits, segmentLength, segmentCount }: FilterShape, data: Uint8Array) {
  const usedBytes = Math.ceil(((segmentCount + 3) * segmentLength) / 8)
  const used = data.subarray(0, usedBytes)
  const before = new Uint32Array(used.length)
  for (let at = 1; at < used.length; at++) before[at] = (before[at - 1] ?? 0) + countBits(used[at - 1] ?? 0)
  return { bits, used, before, stored: data.subarray(usedBytes) }
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
