import { isNodesOwn } from "../fleet/fate.ts"
import type { Evidence } from "./evidence.ts"
import type { Verdict } from "./judge.ts"
import type { Verification } from "./verification.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Months vary; the interface's "12 months" is counted as 365 days. */
const LIFETIMES_MS = { valid: 7 * DAY, invalid: 7 * DAY, accept_all: 365 * DAY, unknown: DAY } as const

/** Trouble of the moment, on our side or in between, says nothing about tomorrow: it is looked at again soon. */
const SHORT_LIVED: ReadonlySet<Verdict["finding"]> = new Set(["dns_failure", "throttled", "unreachable"])
/** Says nothing about the address: nobody was asked. */
const NEVER_STORED: ReadonlySet<Verdict["finding"]> = new Set(["malformed", "not_probed", "no_probe_node"])

/** How long a result may be served from the store, in ms; 0 when it must not be stored at all. */
export function lifetimeMs({ verdict, evidence }: Pick<Verification, "verdict" | "evidence">): number {
  const { status, finding, reply } = verdict
  if (status === "invalid_syntax" || NEVER_STORED.has(finding)) return 0
  if (SHORT_LIVED.has(finding)) return MINUTE
  // The operator counts what we ask of it, by the minute or hour.
  if (reply?.reason === "rate") return HOUR
  if (status === "accept_all" && isBackupsWord(evidence)) return LIFETIMES_MS.unknown
  if (finding === "catch_all_inconclusive" && isCutByUs(evidence)) return LIFETIMES_MS.unknown
  return LIFETIMES_MS[status]
}

/** There was no time left for the sibling. The server might have told. */
function isCutByUs({ mailbox }: Evidence): boolean {
  const control = mailbox?.control
  return control?.kind === "failure" && (isNodesOwn(control) || control.failure === "deadline")
}

/** Hosts preferred to the one that answered were down: a backup that takes everything for them may know no mailbox. */
function isBackupsWord({ domain, mailbox }: Evidence): boolean {
  const hosts = domain && "hosts" in domain.route ? domain.route.hosts : []
  const preferenceOf = (name: string | undefined) => hosts.find(({ host }) => host === name)?.preference ?? 0
  const own = preferenceOf(mailbox?.session?.mxHost)
  return mailbox?.attempts.some(({ mxHost }) => preferenceOf(mxHost) < own) ?? false
}
