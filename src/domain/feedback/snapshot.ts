import type { Status } from "../../../schema/vocabulary.ts"
import { patternOf } from "../address/pattern.ts"
import { localRealism } from "../learning/local-realism.ts"
import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import { domainAgeDays, type WebPresenceKind, webPresenceOf } from "../verdict/domain-facts.ts"
import type { Evidence } from "../verdict/evidence.ts"
import type { Judged } from "../verdict/judge.ts"

/** The evidence behind a verdict at the time of feedback, without the address. A training sample stores it. */
export interface Snapshot extends UnscoredSnapshot {
  readonly score: number
}

/** What a model may read of the evidence behind a verdict. The score depends on a model, so it is not part of it. */
export interface UnscoredSnapshot {
  readonly status: Status
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
  /** Probability that the local part is a person's name, 0 to 1. */
  readonly realism: number
  /** Whole days since the domain was registered. */
  readonly domainAgeDays: number | null
  readonly web: WebPresenceKind | null
  readonly gravatar: boolean | null
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Null for a malformed address: it trains no model. */
export function snapshotOf(verification: Judged & { readonly score: { readonly total: number } }): Snapshot | null {
  const unscored = unscoredSnapshot(verification)
  return unscored && { ...unscored, score: verification.score.total }
}

/** The same before the score is known. */
export function unscoredSnapshot({ evidence, verdict, verifiedAt }: Judged): UnscoredSnapshot | null {
  const { address, domain, mailbox, lists } = evidence
  if (!address.ok) return null
  const host = mailbox?.session?.mxHost ?? mailHostsOf(domain?.route)[0]
  return {
    status: verdict.status,
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
  return {
    domainAgeDays: domainAgeDays(domain, verifiedAt),
    web: webPresenceOf(domain),
    gravatar: gravatar?.found ?? null,
  }
}
