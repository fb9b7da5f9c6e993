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
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** SHA-256 as hex, for contents and for tokens that carry their own entropy. */
export async function sha256(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
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

function importKey(pepper: string): Promise<HmacKey> {
  const bytes = new TextEncoder().encode(pepper)
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
}

async function hmac(key: HmacKey, text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))))
}

/** Lower-case hex. */
export function hex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
