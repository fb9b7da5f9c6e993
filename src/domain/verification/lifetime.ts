import { isNodeFailure } from "../fleet/outcome-class.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time.ts"
import type { Evidence, FactName, FactValues } from "./evidence.ts"
import type { Verdict } from "./judge.ts"
import type { Verification } from "./verification.ts"

/** The interface's "12 months" counts as 365 days. */
const LIFETIMES_MS = { valid: 7 * DAY_MS, invalid: 7 * DAY_MS, accept_all: 365 * DAY_MS, unknown: DAY_MS } as const

/** Temporary failures of this service or of the network. */
const SHORT_LIVED: ReadonlySet<Verdict["finding"]> = new Set(["dns_failure", "throttled", "unreachable"])
/** Never stored: no mail server was probed. */
const NEVER_STORED: ReadonlySet<Verdict["finding"]> = new Set(["malformed", "not_probed", "no_probe_node"])

/** Lifetime of a result in the store, in ms; 0 when it must not be stored. */
export function lifetimeMs({ verdict, evidence }: Pick<Verification, "verdict" | "evidence">): number {
  const { status, finding, reply } = verdict
  if (status === "invalid_syntax" || NEVER_STORED.has(finding)) return 0
  if (SHORT_LIVED.has(finding)) return MINUTE_MS
  // Operators limit requests per minute or hour.
  if (reply?.reason === "rate") return HOUR_MS
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

/** Lifetime of each fact, in ms. */
const FACT_LIFETIMES_MS: Readonly<Record<FactName, number>> = {
  route: HOUR_MS,
  exchangers: HOUR_MS,
  spf: HOUR_MS,
  dkim: DAY_MS,
  dmarc: DAY_MS,
  mtaSts: DAY_MS,
  bimi: DAY_MS,
  registration: 30 * DAY_MS,
  web: 7 * DAY_MS,
  rbl: 6 * HOUR_MS,
}

/** Lifetime of a failed lookup. */
export const FAILED_LOOKUP_MS = MINUTE_MS

/** Lifetime of a fact in the store, in ms; 0 when it must not be stored. */
export function factLifetimeMs<Name extends FactName>(name: Name, value: FactValues[Name] | null): number {
  if (value === null) return 0
  if (name === "route" && (value as FactValues["route"]).kind === "dns_failure") return 0
  if (name === "registration" && (value as FactValues["registration"]).kind === "unknown") return DAY_MS
  if (name === "rbl" && (value as FactValues["rbl"]).checked.length === 0) return FAILED_LOOKUP_MS
  return FACT_LIFETIMES_MS[name]
}
