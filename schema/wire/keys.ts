/** Derived, because Workers and Node.js name the type differently. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Ed25519 keys as text: `<keyid>:<base64url of 32 bytes>`. The bytes are a seed (signing) or a public key. */
export interface SigningKey {
  readonly keyid: string
  readonly privateKey: Key
}

export interface TrustedKey {
  readonly keyid: string
  readonly publicKey: Key
}

/** DER before the 32 seed bytes of an Ed25519 private key (RFC 8410 §7). */
const PKCS8_PREFIX = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
const KEY = "([A-Za-z0-9._-]{1,64}):([A-Za-z0-9_-]{43})"
const KEY_TEXT = new RegExp(`^${KEY}$`)
/** What `importTrustedKey` accepts, for the published document. */
export const PUBLIC_KEY_PATTERN = `^\\s*${KEY}\\s*$`

/** Whether a text is a key in this format, private or public. */
export function isKeyText(text: string): boolean {
  return KEY_TEXT.test(text.trim())
}

/** @throws Error with the problem, never the secret */
export async function importSigningKey(text: string): Promise<SigningKey> {
  return importSeed(text, false)
}

async function importSeed(text: string, isExtractable: boolean): Promise<SigningKey> {
  const { keyid, bytes } = parseKey(text, "signing key")
  const der = Uint8Array.from([...PKCS8_PREFIX, ...bytes])
  return { keyid, privateKey: await crypto.subtle.importKey("pkcs8", der, "Ed25519", isExtractable, ["sign"]) }
}

/** @throws Error with the problem */
export async function importTrustedKey(text: string): Promise<TrustedKey> {
  const { keyid, bytes } = parseKey(text, "public key")
  return { keyid, publicKey: await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]) }
}

/** The public half of a signing key in text form. @throws Error with the problem, never the secret */
export async function publicKeyOf(signingKey: string): Promise<string> {
  const { keyid, privateKey } = await importSeed(signingKey, true)
  const { x } = (await crypto.subtle.exportKey("jwk", privateKey)) as { x?: string }
  return `${keyid}:${x}`
}

/** Generates a key pair in text form. The signing half is secret. */
export async function generateKeyPair(keyid: string): Promise<{ signingKey: string; publicKey: string }> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as { privateKey: Key }
  const { d, x } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as { d?: string; x?: string }
  return { signingKey: `${keyid}:${d}`, publicKey: `${keyid}:${x}` }
}

function parseKey(text: string, what: string) {
  const match = KEY_TEXT.exec(text.trim())
  if (!match) throw new Error(`a ${what} is written <keyid>:<43 base64url characters>`)
  const bytes = Uint8Array.from(atob(match[2]!.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0))
  return { keyid: match[1]!, bytes }
}
