import type { Digests } from "../accounts/digest.ts"

/** The local part of a random recipient, which a reply may quote without its domain. */
export const RANDOM_RECIPIENT_LOCAL = /\bq[a-z0-9]{15}\b/gi

/**
 * The random recipient of a domain's catch-all probe: it does not exist, cannot be guessed, and is the same each time.
 * Greylisting remembers sender and recipient, so only a repeated recipient gets a final answer on the second probe.
 */
export async function randomRecipientOf(digests: Digests, domain: string): Promise<string> {
  return `q${(await digests.of("sibling", domain)).slice(0, 15)}@${domain}`
}
