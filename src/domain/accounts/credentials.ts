import { Recent } from "../recent.ts"
import { type Digests, sameSecret } from "./crypto.ts"

/**
 * A secret key belongs on a server. A publishable key is part of a page, and only checks the page's forms. A test key
 * verifies the addresses of test mode only.
 */
export const KEY_KINDS = ["secret", "publishable", "test"] as const
export type KeyKind = (typeof KEY_KINDS)[number]

/** A key: prefix, 32 random base62 characters (190 bits) and 6 of their CRC32, by which scanners recognize leaks. */
const PREFIXES: Readonly<Record<KeyKind, string>> = {
  secret: "mv_live_",
  publishable: "mv_pk_",
  test: "mv_test_",
}
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

const CREDENTIALS = 10_000
/** A longer lookup belongs to a request that the platform ended. */
const LOOKUP_MS = 10_000

/**
 * Which credentials an isolate has accepted, by their hashes. It only decides whether a lookup counts as a guess: each call
 * still reads the key from its limiter. Plain values, which may outlive a request.
 */
export class CredentialMemory {
  readonly #accepted = new Recent<true>(CREDENTIALS)
  /** When the lookup began, Unix ms. */
  readonly #lookingUp = new Recent<number>(CREDENTIALS)

  isAccepted(name: string): boolean {
    return this.#accepted.get(name) ?? false
  }

  /** A credential that was looked up or made here. */
  accept(name: string): void {
    this.#accepted.set(name, true)
  }

  refuse(name: string): void {
    this.#accepted.delete(name)
  }

  /** @returns false when another request already looks it up */
  beginLookup(name: string, now: number): boolean {
    const since = this.#lookingUp.get(name)
    if (since !== undefined && now - since < LOOKUP_MS) return false
    this.#lookingUp.set(name, now)
    return true
  }

  endLookup(name: string): void {
    this.#lookingUp.delete(name)
  }
}

/** A browser that requested a sign-in link or signed in, as its cookie states it. It authorizes nothing. */
export interface Browser {
  /** Random. A link that the browser requests stores its hash. */
  readonly id: string
  /** One for each mailbox that the browser signed in to, the newest first. */
  readonly proofs: readonly string[]
}

/** Mailboxes that one browser can prove. */
const MAX_PROOFS = 5
/** 128 bits of an HMAC as hex. */
const PROOF_LENGTH = 32
const COOKIE_FORM = /^[\w-]{22}(?:\.[0-9a-f]{32}){0,5}$/

/** @returns null for any text that `browserText` does not write */
export function readBrowser(text: string): Browser | null {
  if (!COOKIE_FORM.test(text)) return null
  const [id = "", ...proofs] = text.split(".")
  return { id, proofs }
}

export function browserText({ id, proofs }: Browser): string {
  return [id, ...proofs].join(".")
}

/** The browser after a sign-in to a mailbox. @param email normalized, as accounts store it */
export async function withSignIn(digests: Digests, { id, proofs }: Browser, email: string): Promise<Browser> {
  const accepted = await proofsOf(digests, id, email)
  const others = proofs.filter((proof) => !accepted.includes(proof))
  return { id, proofs: [accepted[0]!, ...others].slice(0, MAX_PROOFS) }
}

/** Whether the browser signed in to this mailbox before. @param email normalized, as accounts store it */
export async function hasSignedIn(digests: Digests, { id, proofs }: Browser, email: string): Promise<boolean> {
  const accepted = await proofsOf(digests, id, email)
  const pairs = proofs.flatMap((proof) => accepted.map((one) => sameSecret(proof, one)))
  return (await Promise.all(pairs)).includes(true)
}

/** The proof under every accepted pepper, the current one first. Only the service can make it. */
async function proofsOf(digests: Digests, id: string, email: string): Promise<string[]> {
  const candidates = await digests.candidates("signed-in-browser", `${id}\n${email}`)
  return candidates.map((digest) => digest.slice(0, PROOF_LENGTH))
}
