import type { Status } from "../../../schema/vocabulary.ts"
import { patternOf } from "../address/pattern.ts"
import { findOperator, mailHostsOf } from "../mail/operators.ts"
import type { Evidence } from "../verdict/evidence.ts"
import { assess } from "../verdict/verification.ts"

/** What a verdict stood on when feedback about its address came, without the address: a training sample keeps this. */
export interface Snapshot {
  readonly status: Status
  readonly score: number
  readonly finding: string | null
  readonly isCatchAll: boolean | null
  readonly replyClass: string | null
  readonly replyCode: number | null
  readonly replyStage: string | null
  readonly operator: string | null
  readonly route: string | null
  readonly spf: boolean | null
  readonly dkim: boolean | null
  readonly dmarc: boolean | null
  readonly lists: Evidence["lists"]
  /** Shape of the local part: its format, length and digits. */
  readonly pattern: string
  readonly localLength: number
  readonly digits: number
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Null for a malformed address, about which there is nothing to learn. */
export function snapshotOf(evidence: Evidence, verifiedAt: number): Snapshot | null {
  const { address, domain, mailbox, lists } = evidence
  if (!address.ok) return null
  const { verdict, score } = assess(evidence, { cached: true, isSuppressed: false, verifiedAt })
  const outcome = mailbox?.outcome ?? null
  const host = mailbox?.session?.mxHost ?? mailHostsOf(domain?.route)[0]
  return {
    status: verdict.status,
    score: score.total,
    finding: verdict.finding,
    isCatchAll: verdict.isCatchAll,
    replyClass: verdict.reply?.class ?? null,
    replyCode: outcome?.kind === "reply" ? outcome.reply.code : null,
    replyStage: outcome?.stage ?? null,
    operator: findOperator(host)?.name ?? null,
    route: domain?.route.kind ?? null,
    spf: domain?.spf ? domain.spf.kind === "valid" : null,
    dkim: domain?.dkim?.present ?? null,
    dmarc: domain?.dmarc ? domain.dmarc.kind === "record" : null,
    lists,
    pattern: patternOf(address.local),
    localLength: [...address.local].length,
    digits: address.local.replace(/\D/g, "").length,
    verifiedAt,
  }
}
