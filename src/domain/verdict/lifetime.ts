import { isNodeFailure } from "../routing/outcome-class.ts"
import type { Evidence } from "./evidence.ts"
import type { Verdict } from "./judge.ts"
import type { Verification } from "./verification.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The interface's "12 months" counts as 365 days. */
const LIFETIMES_MS = { valid: 7 * DAY, invalid: 7 * DAY, accept_all: 365 * DAY, unknown: DAY } as const

/** Temporary failures on this side or on the way expire soon: they say nothing about tomorrow. */
const SHORT_LIVED: ReadonlySet<Verdict["finding"]> = new Set(["dns_failure", "throttled", "unreachable"])
/** Never stored: no mail server was probed. */
const NEVER_STORED: ReadonlySet<Verdict["finding"]> = new Set(["malformed", "not_probed", "no_probe_node"])

/** Lifetime of a result in the store, in ms; 0 when it must not be stored. */
export function lifetimeMs({ verdict, evidence }: Pick<Verification, "verdict" | "evidence">): number {
  const { status, finding, reply } = verdict
  if (status === "invalid_syntax" || NEVER_STORED.has(finding)) return 0
  if (SHORT_LIVED.has(finding)) return MINUTE
  // Operators limit requests per minute or hour.
  if (reply?.reason === "rate") return HOUR
  if (status === "accept_all" && isFromBackup(evidence)) return LIFETIMES_MS.unknown
  if (finding === "catch_all_inconclusive" && isCatchAllProbeCut(evidence)) return LIFETIMES_MS.unknown
  return LIFETIMES_MS[status]
}

/** Whether the deadline or the node ended the catch-all probe, not the mail server. */
function isCatchAllProbeCut({ mailbox }: Evidence): boolean {
  const control = mailbox?.control
  return control?.kind === "failure" && (isNodeFailure(control) || control.failure === "deadline")
}

/** Whether a backup MX answered because preferred hosts were down. A backup may accept every address. */
function isFromBackup({ domain, mailbox }: Evidence): boolean {
  const hosts = domain && "hosts" in domain.route ? domain.route.hosts : []
  const preferenceOf = (name: string | undefined) => hosts.find(({ host }) => host === name)?.preference ?? 0
  const own = preferenceOf(mailbox?.session?.mxHost)
  return mailbox?.attempts.some(({ mxHost }) => preferenceOf(mxHost) < own) ?? false
}
