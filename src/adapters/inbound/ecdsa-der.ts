const SEQUENCE = 0x30
const INTEGER = 0x02
/** Octets of a P-256 integer. */
const SIZE = 32

/**
 * Converts a DER-encoded ECDSA-P256 signature (RFC 3279 §2.2.3) to the 64 bytes r‖s that WebCrypto expects.
 * Only the one canonical encoding is accepted, so a signature has no variants.
 * @returns null when the bytes are not such a signature
 */
export function derToRaw(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return null
  const r = readInteger(der, 2)
  const s = r && readInteger(der, r.end)
  if (!s || s.end !== der.length) return null
  const raw = new Uint8Array(2 * SIZE)
  raw.set(r.bytes, SIZE - r.bytes.length)
  raw.set(s.bytes, 2 * SIZE - s.bytes.length)
  return raw
}

/** A positive integer of at most 32 octets in its shortest encoding (X.690 §8.3.2). */
function readInteger(der: Uint8Array, at: number): { bytes: Uint8Array; end: number } | null {
  const length = der[at + 1]
  if (der[at] !== INTEGER || length === undefined || length === 0 || length > SIZE + 1) return null
  const end = at + 2 + length
  if (end > der.length) return null
  const bytes = der.subarray(at + 2, end)
  const first = bytes[0]!
  if (first >= 0x80) return null
  if (first === 0 && (length === 1 || bytes[1]! < 0x80)) return null
  const value = first === 0 ? bytes.subarray(1) : bytes
  return value.length > SIZE ? null : { bytes: value, end }
}
