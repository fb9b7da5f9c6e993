/** Limits of a fetched list. The largest public list has 190,000 names. */
export const MAX_LIST_BYTES = 8_000_000
export const MAX_LIST_NAMES = 400_000
/** Invalid lines to return as examples. */
const MAX_EXAMPLES = 20

export type ListText =
  | {
      readonly ok: true
      readonly domains: ReadonlySet<string>
      /** The first few lines that are not a domain. */
      readonly unread: readonly string[]
    }
  | { readonly ok: false; readonly reason: "too_large" | "too_many_names" | "not_a_list" }

const NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

function isDomainName(text: string): boolean {
  return NAME.test(text)
}

const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/

/** Whether a text can be a top-level domain, as an A-label in lower case. */
export function isTopLevelName(text: string): boolean {
  return TOP_LEVEL.test(text)
}

/**
 * Reads the plain list format: one name a line, "#" begins a comment. Case and a leading "@", "*." or "." are ignored.
 * A text with more invalid lines than names (an error page, JSON) is not a list.
 */
export function parseListText(text: string, isName: (name: string) => boolean = isDomainName): ListText {
  if (text.length > MAX_LIST_BYTES) return { ok: false, reason: "too_large" }
  const domains = new Set<string>()
  const unread: string[] = []
  let unreadCount = 0
  for (const line of linesOf(text)) {
    const name = line
      .replace(/#.*/, "")
      .trim()
      .toLowerCase()
      .replace(/^(@|\*\.|\.)/, "")
    if (name === "") continue
    if (isName(name)) domains.add(name)
    else if (++unreadCount <= MAX_EXAMPLES) unread.push(line.slice(0, 80))
    if (domains.size > MAX_LIST_NAMES) return { ok: false, reason: "too_many_names" }
  }
  return unreadCount > domains.size ? { ok: false, reason: "not_a_list" } : { ok: true, domains, unread }
}

/** Yields line by line, so that memory does not hold a second copy of eight megabytes. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from)
    const to = end < 0 ? text.length : end
    yield text.slice(from, to)
    from = to + 1
  }
}
