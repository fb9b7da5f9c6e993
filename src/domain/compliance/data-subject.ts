import { cacheKey } from "../address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../address/parse.ts"
import { breachHash } from "../keys/breach-digest.ts"
import type { Digests } from "../keys/digest.ts"
import { classifyAddress } from "../lists/classify.ts"
import { addressHashes } from "../suppression/address-hash.ts"
import type { Evidence } from "../verdict/evidence.ts"

/** Whose data it is about: values for the conditions of schema/tables/personal-data.ts. */
export type SubjectTerms = Readonly<Record<string, string>>

/** Of an address with more cased letters beyond ASCII, mixtures of the first ones only are looked for. */
const MAX_CASED = 8

/** What one person's rows are found by. */
export async function addressTerms(digests: Digests, address: ValidAddress): Promise<SubjectTerms> {
  const key = cacheKey(address)
  const spellings = spellingsOf(address)
  const under = async (purpose: string, text: string) =>
    JSON.stringify((await digests.candidates(purpose, text)).map(({ digest }) => digest))
  return {
    key,
    spellings: JSON.stringify(spellings),
    domain: address.domain,
    mentions: JSON.stringify(spellings.map(mentionOf)),
    hashes: JSON.stringify(await addressHashes(digests, address)),
    breach_digests: await under("breach", await breachHash(address.normalized)),
    sample_digests: await under("format-sample", key),
    erased: ERASED,
  }
}

/** What the rows of all addresses at a domain are found by. @param domain A-labels, lower case */
export function domainTerms(domain: string): SubjectTerms {
  return { domain, mentions: JSON.stringify([`*@${escapeGlob(domain)}[^a-z0-9.-]*`]), erased: ERASED }
}

/** A GLOB for an address as a word of its own in a text that begins and ends with a blank and is lower-case within ASCII. */
function mentionOf(spelling: string): string {
  const lower = spelling.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return `*[^a-z0-9!#$%&'*+/=?^_\`{|}~.-]${escapeGlob(lower)}[^a-z0-9.-]*`
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[]/g, "[$&]")
}

/** The address in every mixture of its letters' cases beyond ASCII; SQLite itself tells no cases apart within ASCII. */
function spellingsOf({ local, domain }: ValidAddress): string[] {
  const letters = [...local.toLowerCase().normalize("NFC")]
  const cased = letters.flatMap((letter, at) => (letter > "\x7f" && letter.toUpperCase() !== letter ? [at] : []))
  const mixtures = Array.from({ length: 2 ** Math.min(cased.length, MAX_CASED) }, (_, mixture) => {
    const raised = new Set(cased.filter((_, bit) => mixture & (1 << bit)))
    return letters.map((letter, at) => (raised.has(at) ? letter.toUpperCase() : letter)).join("")
  })
  const locals = [...mixtures, local, local.toUpperCase()].map((one) => one.normalize("NFC"))
  return [...new Set(locals)].map((one) => `${one}@${domain}`)
}

const nobody = parseAddress("")

/** What is left of an item's evidence: nothing about anybody, and still readable as evidence. */
const ERASED = JSON.stringify({
  address: nobody,
  lists: classifyAddress(nobody),
  domain: null,
  mailbox: null,
  probeProblem: null,
} satisfies Evidence)
