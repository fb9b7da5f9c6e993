import type { ValidAddress } from "./parse.ts"

/**
 * One key for all spellings of a mailbox that differ in letter case only. RFC 5321 §2.4 lets a server tell cases apart,
 * but none does; probing still uses the spelling given.
 */
export function cacheKey({ local, domain }: Pick<ValidAddress, "local" | "domain">): string {
  return `${lowerLocal(local)}@${domain}`
}

/** A local part in lower case and NFC, which some capitals do not become by lower case alone. */
export function lowerLocal(local: string): string {
  return local.toLowerCase().normalize("NFC")
}
