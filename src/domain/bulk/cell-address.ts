import { type ParsedAddress, parseAddress } from "../address/parse.ts"
import { repairAddress } from "../address/repair-address.ts"
import { splitAddresses } from "../address/several.ts"

/** `Name <address>` (RFC 5322 §3.4). Two addresses in one text are no address. */
const ANGLE = /^[^<>]*<([^<>]*)>$/
/** Longest entry that may contain an address, in characters, with its display name. */
const LONGEST = 2_000

/** What programs write around an address: a formula of Excel that keeps a text, and links. */
const WRAPPERS: readonly RegExp[] = [
  /^="([^"]*)"$/,
  /^=HYPERLINK\("([^"]*)"/i,
  /^\[[^[\]]*\]\(([^()]*)\)$/,
  /^<a href="([^"]*)"/i,
  /^'([^']*)'$/,
]
/** The mark or number of an item, or the kind of an address: "work: ann@example.com". */
const LABEL = /^(?:[-*•·–]|\d{1,4}[.)]|\p{L}{1,20}:) +/u

/**
 * Returns the texts of the addresses in a cell, without quotes and display names. None for a blank cell and for a long
 * text; one for a malformed address. `parseAddress` repairs what surrounds an address.
 */
export function addressesInCell(cell: string): string[] {
  const { text } = repairAddress(cell)
  const entries = splitAddresses(inner(unquote(text)))
  const [only] = entries.length === 1 ? entries : []
  const addresses =
    only === undefined ? entries.map(addressIn) : [only === text ? addressOf(text, cell) : addressIn(only)]
  return addresses.filter((address) => address !== "")
}

/** Returns the text of the first address in a cell, empty for a cell without one. */
export function addressInCell(cell: string): string {
  return addressesInCell(cell)[0] ?? ""
}

function addressIn(entry: string): string {
  return addressOf(repairAddress(entry).text, entry)
}

/** @param given what is returned when nothing else stands around the address */
function addressOf(text: string, given: string): string {
  if (text === "" || text.length > LONGEST) return ""
  const bare = withoutLabel(inner(unquote(text)))
  return bare.includes("<") ? (ANGLE.exec(bare)?.[1] ?? bare) : bare === text ? given : bare
}

/** The text inside a link, a formula, single quotes, or the brackets of an array. */
function inner(text: string): string {
  const wrapper = WRAPPERS.find((pattern) => pattern.test(text))
  if (wrapper) return repairAddress(wrapper.exec(text)![1]!).text
  const isArray = (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"))
  return isArray && text.includes("@") ? text.slice(1, -1).trim() : text
}

/** The text without its label, and without a comment behind it: "ann@example.com (work)". */
function withoutLabel(text: string): string {
  const open = text.endsWith(")") ? text.lastIndexOf(" (") : -1
  const bare = open > 0 && !text.includes("@", open) ? text.slice(0, open).trimEnd() : text
  const label = LABEL.exec(bare)?.[0] ?? ""
  return bare.includes("@", label.length) ? bare.slice(label.length).trimStart() : text
}

/** Removes quotes that belong to the field, because a space precedes them (RFC 4180 §2). */
function unquote(text: string): string {
  const isQuoted = text.length > 2 && text.startsWith('"') && text.endsWith('"')
  const inner = isQuoted ? text.slice(1, -1) : ""
  return inner.includes("@") && !inner.includes('"') ? repairAddress(inner).text : text
}

export interface ListEntry {
  /** Without a display name. */
  readonly email: string
  readonly address: ParsedAddress
}

/** Reads the entries of a list. Each may be an address, or `Name <address>` as mail programs copy it. */
export function readEntries(entries: readonly string[]): ListEntry[] {
  return entries.map((entry) => {
    const email = addressInEntry(entry)
    return { email, address: parseAddress(email) }
  })
}

/** Returns the text of the address in `Name <address>`, and any other text unchanged. */
export function addressInEntry(entry: string): string {
  if (entry.length > LONGEST || !entry.includes("<")) return entry
  const inner = ANGLE.exec(repairAddress(entry).text)?.[1]
  return inner?.includes("@") ? inner : entry
}
