import { LABEL_SEPARATOR } from "./read-domain.ts"

/** What may be removed around an address without changing the mailbox meant. */
export const ADDRESS_REPAIRS = ["whitespace", "zero_width", "mailto", "trailing_dot"] as const
export type AddressRepair = (typeof ADDRESS_REPAIRS)[number]

export interface RepairedText {
  /** The part of the input that is the address. Repairing it again changes nothing. */
  readonly text: string
  /** UTF-16 index of `text` in the input. */
  readonly start: number
  /** What was removed, each once, in the order of `ADDRESS_REPAIRS`. */
  readonly repaired: readonly AddressRepair[]
}

const NOTHING: readonly AddressRepair[] = []

const WHITE_SPACE = /\s/
/** Characters without width, such as the byte order mark, and direction marks. */
const ZERO_WIDTH = /(?=\p{Cf})\p{Default_Ignorable_Code_Point}/u
const JOINER = /\p{Join_Control}/u

const SCHEME = "mailto:"
/** Only a subject and a body: another field may name a further recipient (RFC 6068 §2). */
const SIMPLE_QUERY = /^\?(?:subject|body)=[^&@]*(?:&(?:subject|body)=[^&@]*)*$/i
/** A recipient that the URL does not contain as plain text: percent-encoded, after "//", or in a field. */
const NEEDS_DECODING = /%[0-9a-f]{2}|^\/|\?/i
/** A longer text is no address, even after a repair. */
const LONGEST = 2_000

/**
 * Removes what surrounds an address and cannot change the mailbox meant: white space and zero-width characters at both
 * ends, "mailto:" with a subject and body (RFC 6068), and one trailing dot of the domain (RFC 1034 §3.1). A well-formed
 * address stays unchanged. Linear in the length of the input.
 */
export function repairAddress(input: string): RepairedText {
  const removed = new Set<AddressRepair>()
  let start = endOfBlanks(input, 0, removed)
  let end = startOfBlanks(input, start, input.length, removed)
  if (start === end) return { text: "", start: 0, repaired: inOrder(removed) }
  if (end - start <= LONGEST) {
    const recipient = findRecipient(input.slice(start, end))
    if (recipient) {
      removed.add("mailto")
      end = startOfBlanks(input, start + recipient.start, start + recipient.end, removed)
      start += recipient.start
    }
    if (hasTrailingDot(input, start, end)) {
      removed.add("trailing_dot")
      end--
    }
  }
  return { text: input.slice(start, end), start, repaired: inOrder(removed) }
}

function inOrder(removed: ReadonlySet<AddressRepair>): readonly AddressRepair[] {
  return removed.size === 0 ? NOTHING : ADDRESS_REPAIRS.filter((repair) => removed.has(repair))
}

/** Returns the index after the blanks at `index`. */
function endOfBlanks(text: string, index: number, removed: Set<AddressRepair>): number {
  for (let at = index; ; at++) {
    const kind = at < text.length ? blankAt(text, at) : null
    if (!kind) return at
    removed.add(kind)
  }
}

/** Returns the index of the blanks that end at `end`. A joiner after a letter that it may join is no blank. */
function startOfBlanks(text: string, start: number, end: number, removed: Set<AddressRepair>): number {
  for (let at = end; ; at--) {
    const kind = at > start ? blankAt(text, at - 1) : null
    if (!kind || (kind === "zero_width" && joins(text, at - 1))) return at
    removed.add(kind)
  }
}

function blankAt(text: string, index: number): AddressRepair | null {
  const code = text.charCodeAt(index)
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d) ? "whitespace" : null
  const character = text[index]!
  if (ZERO_WIDTH.test(character)) return "zero_width"
  return WHITE_SPACE.test(character) ? "whitespace" : null
}

/** Whether a joiner follows a letter that is not ASCII: some scripts spell a word with it. */
function joins(text: string, index: number): boolean {
  if (index === 0 || !JOINER.test(text[index]!)) return false
  return text.charCodeAt(index - 1) >= 0x80 && blankAt(text, index - 1) === null
}

/** Returns the range of the recipient in a mailto URL. Null for another text, and for a URL that must be decoded. */
function findRecipient(text: string): { readonly start: number; readonly end: number } | null {
  let start = 0
  while (text.slice(start, start + SCHEME.length).toLowerCase() === SCHEME)
    start = endOfBlanks(text, start + SCHEME.length, new Set())
  if (start === 0) return null
  const query = text.indexOf("?", Math.max(start, text.lastIndexOf("@")))
  const end = query < 0 ? text.length : query
  const isSimple = query < 0 || SIMPLE_QUERY.test(text.slice(query))
  return isSimple && !NEEDS_DECODING.test(text.slice(start, end)) ? { start, end } : null
}

/** Whether the domain ends with the dot of a rooted name. Two dots at the end are malformed. */
function hasTrailingDot(text: string, start: number, end: number): boolean {
  const before = text[end - 2]
  if (end - start < 2 || !LABEL_SEPARATOR.test(text[end - 1]!) || LABEL_SEPARATOR.test(before!)) return false
  return before !== "@" && blankAt(text, end - 2) === null && text.slice(start, end - 2).includes("@")
}
