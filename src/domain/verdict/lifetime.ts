import type { Verdict } from "./judge.ts"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Months vary; the interface's "12 months" is counted as 365 days. */
const LIFETIMES_MS = { valid: 7 * DAY, invalid: 7 * DAY, accept_all: 365 * DAY, unknown: DAY } as const

/** Trouble of the moment, on our side or in between, says nothing about tomorrow: it is looked at again soon. */
const SHORT_LIVED: ReadonlySet<Verdict["finding"]> = new Set(["dns_failure", "throttled", "unreachable"])
/** Says nothing about the address: nobody was asked. */
const NEVER_STORED: ReadonlySet<Verdict["finding"]> = new Set(["malformed", "not_probed", "no_probe_node"])

/** How long a result may be served from the store, in ms; 0 when it must not be stored at all. */
export function lifetimeMs({ status, finding }: Verdict): number {
  if (status === "invalid_syntax" || NEVER_STORED.has(finding)) return 0
  if (SHORT_LIVED.has(finding)) return MINUTE
  return LIFETIMES_MS[status]
}
