/** A secret key belongs on a server. A publishable key is part of a page, and only checks the page's forms. */
export const KEY_KINDS = ["secret", "publishable"] as const
export type KeyKind = (typeof KEY_KINDS)[number]

/**
 * Format of a key: a prefix by its kind, 32 random base62 characters (190 bits) and 6 characters of their CRC32. The
 * checksum rejects typos and invented keys without a lookup, and lets secret scanners recognize a leaked key.
 */
const PREFIXES: Readonly<Record<KeyKind, string>> = { secret: "mv_live_", publishable: "mv_pk_" }
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_CHARS = 32
const CHECK_CHARS = 6
const FORM = new RegExp(`^(?:${Object.values(PREFIXES).join("|")})([0-9A-Za-z]{${RANDOM_CHARS + CHECK_CHARS}})$`)

/** Random bytes for one secret. Bytes from 248 are discarded, so that each character is equally likely. */
export const SECRET_ENTROPY_BYTES = 64

/** @param random SECRET_ENTROPY_BYTES fresh random bytes @throws RangeError when too few of them are usable */
export function makeSecret(random: Uint8Array, kind: KeyKind = "secret"): string {
  const usable = [...random].filter((byte) => byte < 248).slice(0, RANDOM_CHARS)
  if (usable.length < RANDOM_CHARS) throw new RangeError("not enough usable random bytes")
  const body = usable.map((byte) => BASE62[byte % 62]).join("")
  return `${PREFIXES[kind]}${body}${checksum(body)}`
}

/** Whether a text has the format of a key secret. It may still never have been issued. */
export function isSecretForm(text: string): boolean {
  const random = FORM.exec(text)?.[1]
  return random?.endsWith(checksum(random.slice(0, RANDOM_CHARS))) ?? false
}

/** Whether a text has the prefix of a publishable key. A key's prefix never changes, so it decides without a lookup. */
export function isPublishable(text: string): boolean {
  return text.startsWith(PREFIXES.publishable)
}

/** The end of a secret, by which its owner recognizes it. It reveals 24 of its 190 random bits. */
export function lastFour(secret: string): string {
  return secret.slice(-4)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ""
  for (let i = 0; i < CHECK_CHARS; i++) {
    text = BASE62[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** CRC-32 of ASCII text (ISO 3309), unsigned. */
function crc32(text: string): number {
  let crc = ~0
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
