import type { Status } from "../../../schema/vocabulary.ts"
import { patternOf } from "../address/pattern.ts"
import { findOperator, mailHostsOf } from "../mail/operators.ts"
import { localRealism } from "../model/local-realism.ts"
import { DAY_MS } from "../time.ts"
import type { Evidence } from "../verdict/evidence.ts"
import type { Verification } from "../verdict/verification.ts"

/** What a verdict stood on when feedback about its address came, without the address: a training sample keeps this. */
export interface Snapshot {
  readonly status: Status
  readonly score: number
  readonly finding: string | null
  readonly isCatchAll: boolean | null
  readonly operator: string | null
  readonly spf: boolean | null
  readonly dmarc: boolean | null
  readonly lists: Evidence["lists"]
  /** Shape of the local part: its format, length and digits. */
  readonly pattern: string
  readonly localLength: number
  readonly digits: number
  /** How likely the local part is somebody's name, 0 to 1. */
  readonly realism: number
  /** Whole days since the domain was registered. */
  readonly domainAgeDays: number | null
  readonly web: "live" | "error" | "none" | "parked" | null
  readonly gravatar: boolean | null
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Null for a malformed address, about which there is nothing to learn. */
export function snapshotOf({ evidence, verdict, score, verifiedAt }: Verification): Snapshot | null {
  const { address, domain, mailbox, lists } = evidence
  if (!address.ok) return null
  const host = mailbox?.session?.mxHost ?? mailHostsOf(domain?.route)[0]
  return {
    status: verdict.status,
    score: score.total,
    finding: verdict.finding,
    isCatchAll: verdict.isCatchAll,
    operator: findOperator(host)?.name ?? null,
    spf: domain?.spf ? domain.spf.kind === "valid" : null,
    dmarc: domain?.dmarc ? domain.dmarc.kind === "record" : null,
    lists,
    ...shapeOf(address.local),
    ...presenceOf(evidence, verifiedAt),
    verifiedAt,
  }
}

function shapeOf(local: string) {
  return {
    pattern: patternOf(local),
    localLength: [...local].length,
    digits: local.replace(/\D/g, "").length,
    realism: localRealism(local),
  }
}

function presenceOf({ domain, gravatar }: Evidence, verifiedAt: number) {
  const { web, registration } = domain ?? {}
  const isDated = registration?.kind === "registered"
  return {
    domainAgeDays: isDated ? Math.max(0, Math.floor((verifiedAt - registration.at) / DAY_MS)) : null,
    web: web ? (web.parkedAt !== null ? ("parked" as const) : web.site) : null,
    gravatar: gravatar?.found ?? null,
  }
}
