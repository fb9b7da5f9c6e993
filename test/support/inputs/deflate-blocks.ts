/** The order in which a block gives the lengths of its code length codes (RFC 1951 3.2.7). */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const END_OF_BLOCK_CODE = 0x7fff
const ZEROS = 18

/** Blocks after which the data ends at a whole byte. */
const GROUP = 8

/**
 * Deflated data of many blocks with about 31 bytes each: new Huffman codes and one letter "a". A decoder builds its
 * tables for every letter.
 * @param count a multiple of eight
 */
export function smallBlocks(count: number): Uint8Array<ArrayBuffer> {
  const [group, last] = [blocks({ isLast: false }), blocks({ isLast: true })]
  const data = new Uint8Array((count / GROUP) * group.length)
  for (let at = 0; at < data.length; at += group.length) data.set(group, at)
  data.set(last, data.length - last.length)
  return data
}

function blocks({ isLast }: { isLast: boolean }): Uint8Array<ArrayBuffer> {
  const bits = new BitWriter()
  for (let block = 1; block <= GROUP; block++) {
    bits.number(isLast && block === GROUP ? 1 : 0, 1)
    bits.number(2, 2)
    // 257 literal codes, 16 distance codes and 19 code length codes.
    bits.number(0, 5)
    bits.number(15, 5)
    bits.number(15, 4)
    // The lengths 1 to 15 and a run of zeros have codes of four bits.
    for (const symbol of ORDER) bits.number(isUsed(symbol) ? 4 : 0, 3)
    zeros(bits, 97)
    for (let length = 1; length <= 15; length++) bits.code(length - 1, 4)
    zeros(bits, 130)
    zeros(bits, 14)
    bits.code(14, 4)
    for (let length = 1; length <= 15; length++) bits.code(length - 1, 4)
    bits.code(14, 4)
    bits.code(0, 1)
    bits.code(END_OF_BLOCK_CODE, 15)
  }
  return bits.end()
}

const isUsed = (symbol: number) => (symbol >= 1 && symbol <= 15) || symbol === ZEROS

function zeros(bits: BitWriter, count: number): void {
  bits.code(15, 4)
  bits.number(count - 11, 7)
}

class BitWriter {
  readonly #bytes: number[] = []
  #byte = 0
  #used = 0

  /** A number, its lowest bit first. */
  number(value: number, width: number): void {
    for (let bit = 0; bit < width; bit++) this.#put((value >> bit) & 1)
  }

  /** A Huffman code, its highest bit first. */
  code(value: number, width: number): void {
    for (let bit = width - 1; bit >= 0; bit--) this.#put((value >> bit) & 1)
  }

  end(): Uint8Array<ArrayBuffer> {
    while (this.#used > 0) this.#put(0)
    return Uint8Array.from(this.#bytes)
  }

  #put(bit: number): void {
    this.#byte |= bit << this.#used
    if (++this.#used < 8) return
    this.#bytes.push(this.#byte)
    this.#byte = 0
    this.#used = 0
  }
}
