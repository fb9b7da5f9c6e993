import { hex } from "./digest.ts"

/** Encrypts values that must be readable again, but not from a copy of the store: AES-256-GCM, key from the pepper. */
export interface Sealer {
  /** Identifies the current key without revealing anything about it. */
  readonly keyId: string
  /** @param purpose kind and owner of the text: a sealed text opens only for the same purpose */
  seal(purpose: string, text: string): Promise<string>
  /** Null for a text that was sealed elsewhere, for another purpose, or under a pepper that is no longer accepted. */
  open(purpose: string, sealed: string): Promise<string | null>
}

type AesKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** NIST SP 800-38D §8.2.2: a random 96-bit nonce. */
const NONCE_BYTES = 12

/**
 * @param peppers secrets of at least 32 characters, the current one first
 * @param randomBytes cryptographically secure
 */
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
      const sealed = await crypto.subtle.encrypt(algorithm(purpose, iv), current, new TextEncoder().encode(text))
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
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(purpose) }
}

async function deriveKey(pepper: string): Promise<AesKey> {
  const material = await hkdfKey(pepper)
  const hkdf = hkdfFor("mailverdict sealed values v1")
  return crypto.subtle.deriveKey(hkdf, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
}

async function nameKey(pepper: string): Promise<string> {
  const bits = await crypto.subtle.deriveBits(hkdfFor("mailverdict seal key id v1"), await hkdfKey(pepper), 64)
  return hex(new Uint8Array(bits))
}

function hkdfKey(pepper: string): Promise<AesKey> {
  const bytes = new TextEncoder().encode(pepper)
  return crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey", "deriveBits"])
}

function hkdfFor(info: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: new TextEncoder().encode(info) }
}

/** Base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
