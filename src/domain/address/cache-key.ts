import type { ValidAddress } from "./parse.ts"

/**
 * Returns the same key for all spellings of a mailbox that differ only in letter case.
 * RFC 5321 §2.4 permits case-sensitive mailboxes, but no server has them. Probes use the given spelling.
 */
export function cacheKey({ local, domain }: Pick<ValidAddress, "local" | "domain">): string {
  return `${lowerLocal(local)}@${domain}`
}

/** Converts a local part to lower case and NFC. The lower case of some capitals is not in NFC. */
export function lowerLocal(local: string): string {
  return local.toLowerCase().normalize("NFC")
}
