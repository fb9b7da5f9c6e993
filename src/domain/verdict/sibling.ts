import type { Digests } from "../keys/digest.ts"

/** The local part of a sibling, which a reply may quote without its domain. */
export const SIBLING_LOCAL = /\bq[a-z0-9]{15}\b/gi

/**
 * A mailbox nobody has and nobody can guess, the same for a domain each time: greylisting remembers who asked for whom, so
 * only a sibling that was asked for before can settle on the second visit whether a domain takes everything.
 */
export async function siblingOf(digests: Digests, domain: string): Promise<string> {
  return `q${(await digests.of("sibling", domain)).slice(0, 15)}@${domain}`
}
