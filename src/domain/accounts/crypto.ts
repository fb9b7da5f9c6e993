import { Recent } from "../recent.ts"

/** Keyed hashes for values that are looked up but must not be readable in a store, a log or an object's name. */
export interface Digests {
  /** Fingerprint of the current pepper. */
  readonly pepperId: string
  /** HMAC-SHA256 as hex. `purpose` separates equal texts of different kinds. */
  of(purpose: string, text: string): Promise<string>
  /** The digests under every accepted pepper, the current one first. */
  candidates(purpose: string, text: string): Promise<string[]>
}

/** Digests cached in memory: clients, keys and addresses repeat. */
const MAX_CACHED = 10_000

/** @param peppers secrets of at least 32 characters, the current one first */
export async function createDigests(peppers: readonly string[]): Promise<Digests> {
  const keyed = await Promise.all(
    peppers.map(async (pepper) => ({ pepperId: await fingerprint(pepper), key: await importKey(pepper) })),
  )
  const current = keyed[0]
  if (!current) throw new Error("no pepper")
  const recent = new Recent<string>(MAX_CACHED)
  const cached = async ({ pepperId, key }: (typeof keyed)[number], text: string) => {
    const name = `${pepperId}\n${text}`
    const known = recent.get(name)
    if (known) return known
    const digest = await hmac(key, text)
    recent.set(name, digest)
    return digest
  }
  return {
    pepperId: current.pepperId,
    of: (purpose, text) => cached(current, `${purpose}\n${text}`),
    candidates: (purpose, text) => Promise.all(keyed.map((one) => cached(one, `${purpose}\n${text}`))),
  }
}

/** A crypto key under a type name that both runtimes have. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** SHA-256 as hex, for contents and for tokens that carry their own entropy. */
export async function sha256(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? utf8(content) : content
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))
}

/** Compares secrets in constant time. */
export async function sameSecret(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(a), sha256(b)])
  let difference = 0
  for (let i = 0; i < left.length; i++) difference |= left.charCodeAt(i) ^ right.charCodeAt(i)
  return difference === 0
}

async function fingerprint(pepper: string): Promise<string> {
  return (await sha256(`pepper\n${pepper}`)).slice(0, 8)
}

function importKey(pepper: string): Promise<Key> {
  return crypto.subtle.importKey("raw", utf8(pepper), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
}

async function hmac(key: Key, text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text))))
}

function utf8(text: string) {
  return new TextEncoder().encode(text)
}

/** Lower-case hex. */
export function hex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Encrypts values that must be readable again, but not from a copy of the store: AES-256-GCM, key from the pepper. */
export interface Sealer {
  /** Identifies the current key without revealing anything about it. */
  readonly keyId: string
  /** @param purpose kind and owner of the text: a sealed text opens only for the same purpose */
  seal(purpose: string, text: string): Promise<string>
  /** Null for a text that was sealed elsewhere, for another purpose, or under a pepper that is no longer accepted. */
  open(purpose: string, sealed: string): Promise<string | null>
}

/** NIST SP 800-38D §8.2.2: a random 96-bit nonce. */
const NONCE_BYTES = 12

/** @param peppers at least 32 characters each, the current one first @param randomBytes cryptographically secure */
export async function createSealer(
  peppers: readonly string[],
  randomBytes: (n: number) => Uint8Array,
): Promise<Sealer> {
  const keys = await Promise.all(peppers.map(deriveKey))
  const current = keys[0]
  if (!current) throw new Error("no pepper")
  return {
    keyId: await nameKey(peppers[0]!),

    async seal(purpose, text) {
      const iv = new Uint8Array(randomBytes(NONCE_BYTES))
      const sealed = await crypto.subtle.encrypt(algorithm(purpose, iv), current, utf8(text))
      return toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
    },

    async open(purpose, sealed) {
      const bytes = fromBase64(sealed)
      if (!bytes || bytes.length <= NONCE_BYTES) return null
      const [iv, rest] = [bytes.slice(0, NONCE_BYTES), bytes.slice(NONCE_BYTES)]
      for (const key of keys) {
        const opened = await crypto.subtle.decrypt(algorithm(purpose, iv), key, rest).catch(() => null)
        if (opened) return new TextDecoder().decode(opened)
      }
      return null
    },
  }
}

function algorithm(purpose: string, iv: Uint8Array<ArrayBuffer>) {
  return { name: "AES-GCM", iv, additionalData: utf8(purpose) }
}

async function deriveKey(pepper: string): Promise<Key> {
  const hkdf = hkdfFor("mailverdict sealed values v1")
  return crypto.subtle.deriveKey(hkdf, await hkdfKey(pepper), { name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ])
}

async function nameKey(pepper: string): Promise<string> {
  const bits = await crypto.subtle.deriveBits(hkdfFor("mailverdict seal key id v1"), await hkdfKey(pepper), 64)
  return hex(new Uint8Array(bits))
}

function hkdfKey(pepper: string): Promise<Key> {
  return crypto.subtle.importKey("raw", utf8(pepper), "HKDF", false, ["deriveKey", "deriveBits"])
}

function hkdfFor(info: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8(info) }
}

/** Base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

/** Base64 for URLs, without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
