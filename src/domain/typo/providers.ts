import { PROVIDER_TABLE } from "./provider-table.ts"

/** A mail service and the domains of its mailboxes. */
export interface Provider {
  /** Second-level label, such as "gmail". */
  readonly label: string
  /** 1 to 5, logarithmic. */
  readonly weight: number
  /** The first one is the default. */
  readonly suffixes: readonly string[]
  readonly isUnmistakable: boolean
  readonly isWord: boolean
}

export const PROVIDERS: readonly Provider[] = PROVIDER_TABLE.trim()
  .split(/\n| \| /)
  .map(readEntry)

function readEntry(entry: string): Provider {
  const [, label = "", mark, weight, suffixes = ""] = /^(\S+?)([!~ ])(\d) (.+)$/.exec(entry)!
  return {
    label,
    weight: Number(weight),
    suffixes: suffixes.split(" "),
    isUnmistakable: mark === "!",
    isWord: mark === "~",
  }
}

export const PROVIDER_BY_LABEL: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.map((provider) => [provider.label, provider]),
)

/** Every domain of the table, such as "yahoo.co.uk". */
export const PROVIDER_DOMAINS: ReadonlySet<string> = new Set(
  PROVIDERS.flatMap(({ label, suffixes }) => suffixes.map((suffix) => `${label}.${suffix}`)),
)

const COMMON_SUFFIXES = new Set("com net co.uk fr de it es nl be ca ru com.br co.in com.au co.jp".split(" "))

/** Cost of a national variant. A rare variant costs more than a common one. */
export function suffixHandicap(suffix: string): number {
  return suffix === "com" ? 0.02 : COMMON_SUFFIXES.has(suffix) ? 0.1 : 0.35
}
