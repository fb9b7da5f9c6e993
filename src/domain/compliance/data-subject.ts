import type { Digests } from "../accounts/crypto.ts"
import { addressHashes, breachHash, cacheKey, domainHashes } from "../address/address-forms.ts"
import { parseAddress, parseDomain, type ValidAddress, type ValidDomain } from "../address/parse.ts"
import { noEvidence } from "../verification/evidence.ts"

/** Search values of a data subject, for the conditions of schema/tables/personal-data.ts. */
export type SubjectTerms = Readonly<Record<string, string>>

/** Case variants cover only the first cased letters beyond ASCII; fewer in texts, where the search is slower. */
const [MAX_CASED, MAX_CASED_IN_TEXT] = [8, 4]

/** Search values for the rows of one address. */
export async function addressTerms(digests: Digests, address: ValidAddress): Promise<SubjectTerms> {
  const key = cacheKey(address)
  return {
    key,
    spellings: JSON.stringify(spellingsOf(address, MAX_CASED)),
    domain: address.domain,
    ...mentionsOf(writtenForms(address), { ends: domainForms(address), before: BEFORE_LOCAL }),
    hashes: JSON.stringify(await addressHashes(digests, address)),
    breach_digests: JSON.stringify(await digests.candidates("breach", await breachHash(address.normalized))),
    sample_digests: JSON.stringify(await digests.candidates("format-sample", key)),
    erased: ERASED_EVIDENCE,
  }
}

/** Search values for the rows of all addresses at a domain. @param domain A-labels, lower case */
export async function domainTerms(digests: Digests, domain: string): Promise<SubjectTerms> {
  const name = parseDomain(domain)
  const ends = domainForms(name.ok ? name : { domain, domainUnicode: domain })
  const domain_hashes = JSON.stringify(await domainHashes(digests, domain))
  return { domain, domain_hashes, ...mentionsOf(ends, { ends, before: "" }), erased: ERASED_EVIDENCE }
}

/** The domain part with "@", in its spellings in a text. */
function domainForms({ domain, domainUnicode }: Pick<ValidDomain, "domain" | "domainUnicode">): string[] {
  return withAccentsApart([domain, domainUnicode, domainUnicode.toUpperCase()].map((form) => `@${form}`))
}

/** Spellings of an address in a text: also capitalized as a name, and with its domain in Unicode. */
function writtenForms(address: ValidAddress): string[] {
  const { local } = address
  const asName = local.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
  const locals = withAccentsApart([local, local.toLowerCase(), local.toUpperCase(), asName])
  const forms = domainForms(address).flatMap((end) => locals.map((one) => `${one}${end}`))
  return [...spellingsOf(address, MAX_CASED_IN_TEXT), ...forms]
}

const withAccentsApart = (forms: readonly string[]) => [...forms, ...forms.map((form) => form.normalize("NFD"))]

/** Characters that may precede an address. Any other character makes it a different address. */
const BEFORE_LOCAL = "[^a-z0-9!#$%&'*+/=?^_`{|}~.-]"

/** Values for the text search. In JSON the quotes of an address are escaped. */
function mentionsOf(forms: readonly string[], { ends, before }: { ends: readonly string[]; before: string }) {
  const texts = new Set(forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]).map(lowerAscii))
  return {
    mentions: JSON.stringify([...texts].map((text) => [text, text.replace(/[*?[]/g, "[$&]")])),
    ends: JSON.stringify([...new Set(ends.map(lowerAscii))]),
    before,
  }
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The address in every case variant of its letters beyond ASCII. SQLite ignores case within ASCII. */
function spellingsOf({ local, domain }: ValidAddress, maxCased: number): string[] {
  const characters = [...local.toLowerCase().normalize("NFC")]
  const cased = characters.flatMap((letter, at) => (letter > "\x7f" && letter.toUpperCase() !== letter ? [at] : []))
  const mixtures = Array.from({ length: 2 ** Math.min(cased.length, maxCased) }, (_, mixture) => {
    const raised = new Set(cased.filter((_, bit) => mixture & (1 << bit)))
    return characters.map((letter, at) => (raised.has(at) ? letter.toUpperCase() : letter)).join("")
  })
  const locals = [...mixtures, local, local.toUpperCase()].map((one) => one.normalize("NFC"))
  return [...new Set(locals)].map((one) => `${one}@${domain}`)
}

/** Evidence of an erased item: valid evidence without personal data. */
export const ERASED_EVIDENCE = JSON.stringify(noEvidence(parseAddress("")))

/** Filters a value for an export: lists retain only the entries that mention the data subject; null for another's value. */
export function entriesAbout(value: unknown, { mentions = "[]" }: SubjectTerms): unknown {
  const forms = (JSON.parse(mentions) as [string][]).map(([form]) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
  const mention = new RegExp(`(?<![a-z0-9!#$%&'*+/=?^_\`{|}~.-])'?(${forms.join("|")})(?![a-z0-9-]|[.][a-z0-9-])`)
  const isAbout = (entry: unknown) => mention.test(JSON.stringify(entry).toLowerCase())
  const only = (one: unknown): unknown => {
    if (Array.isArray(one)) return JSON.stringify(one).includes("@") ? one.filter(isAbout) : one
    if (one === null || typeof one !== "object") return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, only(part)]))
  }
  return typeof value === "string" && !isAbout(value) ? null : only(value)
}

/** The addresses that stand as values of their own in a JSON value. */
export function addressesIn(value: unknown): ValidAddress[] {
  if (typeof value === "string") {
    const address = value.includes("@") ? parseAddress(value) : null
    return address?.ok ? [address] : []
  }
  if (value === null || typeof value !== "object") return []
  return Object.values(value).flatMap(addressesIn)
}

/** What an erasure changed in one table. */
export interface ErasedRows {
  readonly table: string
  readonly removed: number
  /** Rows that stay, without their personal data. */
  readonly blanked: number
}

export function rowsIn(tables: readonly ErasedRows[]): number {
  return tables.reduce((sum, { removed, blanked }) => sum + removed + blanked, 0)
}
