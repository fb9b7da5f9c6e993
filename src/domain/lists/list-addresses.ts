import { cacheKey, shownText } from "../address/address-forms.ts"
import { canonicalMailbox } from "../address/canonical.ts"
import { type ParsedAddress, parseAddress, repairsOf } from "../address/parse.ts"
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

interface ListEntry {
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

interface ListedAddress {
  /** What makes two entries of a list the same. */
  readonly mailbox: string
  /** Empty for a malformed address. */
  readonly domain: string
}

export interface CellAddress extends ListedAddress {
  /** The text of the address in the cell. */
  readonly email: string
}

/** Texts remembered, and the most addresses of a remembered cell. */
const REMEMBERED = 1_000
const FEW = 4

/**
 * Reads the addresses of a list, and remembers some: a workbook of a few kB may have one long international address in
 * 100,000 rows, and each would take as long as 500 ordinary ones.
 */
export class AddressReader {
  readonly #known = new Map<string, ListedAddress>()
  readonly #knownCells = new Map<string, readonly CellAddress[]>()

  read(text: string): ListedAddress {
    const former = this.#known.get(text)
    if (former !== undefined) return former
    const address = parseAddress(text)
    const read = { mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" }
    remember(this.#known, text, read)
    return read
  }

  /** Reads the addresses in a cell of a table: none in a blank cell, and several in one that lists them. */
  readCell(cell: string): readonly CellAddress[] {
    const former = this.#knownCells.get(cell)
    if (former !== undefined) return former
    const read = addressesInCell(cell).map((email) => ({ email, ...this.read(email) }))
    if (read.length <= FEW) remember(this.#knownCells, cell, read)
    return read
  }
}

function remember<T>(known: Map<string, T>, text: string, value: T): void {
  if (known.size >= REMEMBERED) known.clear()
  known.set(text, value)
}

/** Deduplication key: the mailbox without letter case; the text itself for a malformed address. */
export function mailboxOf(address: ParsedAddress): string {
  return address.ok ? cacheKey(address) : shownText(repairAddress(address.input).text)
}

/** The first entry of each mailbox, in order, with the positions (from 0) of all entries of that mailbox. */
export function withoutDuplicates<T extends { readonly address: ParsedAddress }>(
  entries: readonly T[],
): (T & { readonly rows: readonly number[] })[] {
  const seen = new Map<string, T & { readonly rows: number[] }>()
  for (const [row, entry] of entries.entries()) {
    const mailbox = mailboxOf(entry.address)
    const first = seen.get(mailbox)
    if (first) first.rows.push(row)
    else seen.set(mailbox, { ...entry, rows: [row] })
  }
  return [...seen.values()]
}

export interface MailboxGroup {
  /** The canonical mailbox; the text itself for a malformed address. */
  readonly canonical: string
  /** The first member, which a deduplicated list retains. */
  readonly representative: string
  /** All spellings, as given and in order. */
  readonly members: readonly string[]
  readonly isWellFormed: boolean
}

/** Groups a list by mailbox, in the order of the list. */
export class MailboxGroups {
  readonly #groups = new Map<string, { representative: string; members: string[]; isWellFormed: boolean }>()

  /** How many addresses were repaired. */
  repaired = 0

  add(email: string): void {
    const entry = addressInEntry(email)
    const { text } = repairAddress(entry)
    const address = parseAddress(entry)
    if (repairsOf(address).length > 0) this.repaired++
    // The prefix separates malformed texts from mailboxes: no canonical mailbox starts with "?".
    const key = address.ok ? canonicalMailbox(address) : `?${text}`
    const group = this.#groups.get(key)
    if (group) group.members.push(email)
    else this.#groups.set(key, { representative: text, members: [email], isWellFormed: address.ok })
  }

  /** The groups so far. */
  list(): MailboxGroup[] {
    return [...this.#groups].map(([key, group]) => ({ canonical: group.isWellFormed ? key : key.slice(1), ...group }))
  }
}
