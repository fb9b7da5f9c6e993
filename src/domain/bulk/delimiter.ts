/** The usual delimiters, the most likely first. */
export const DELIMITERS = [",", ";", "\t", "|"] as const
/** Delimiters of old systems. They are also characters of addresses and times, so only a header makes them one. */
export const RARE_DELIMITERS = ["^", "~", ":"] as const
export type Delimiter = (typeof DELIMITERS | typeof RARE_DELIMITERS)[number]

/** How a text is split into records and fields. */
export interface Dialect {
  /** Null for a table of one column. */
  readonly delimiter: Delimiter | null
  /** A backslash escapes a quote inside quotes, as databases write it. RFC 4180 doubles the quote. */
  readonly hasBackslashes: boolean
  /** The text is a list of addresses, and the delimiter ends a record as a line end does. */
  readonly isList: boolean
}

/** One value on each line. */
export const ONE_COLUMN: Dialect = { delimiter: null, hasBackslashes: false, isList: false }

const DECLARATION = /^("?)sep=([,;\t|^~:])\1(?:\r|\n|$)/i

/** Returns the delimiter of a first line "sep=;" (Excel's form, with or without quotes). Null without such a line. */
export function declaredDelimiter(sample: string): Delimiter | null {
  return (DECLARATION.exec(sample)?.[2] as Delimiter | undefined) ?? null
}
