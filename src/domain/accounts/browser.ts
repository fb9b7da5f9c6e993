import { type Digests, sameSecret } from "./digest.ts"

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
