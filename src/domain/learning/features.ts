import type { Status } from "../../../schema/vocabulary.ts"
import { patternOf } from "../address/address-forms.ts"
import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import { domainAgeDays, type Evidence, type WebPresenceKind, webPresenceOf } from "../verification/evidence.ts"
import type { Judged } from "../verification/judge.ts"
import { localRealism } from "./name-realism.ts"

/** Knowledge besides the verification, all from before the time of the prediction. */
export interface History {
  /** Addresses of the domain that the account itself reported as arrived or bounced. */
  readonly arrived: number
  readonly bounced: number
  /** The account's last report about this address. */
  readonly reported: "arrived" | "bounced" | null
  /** Share of the domain's known names with the format of this one; null when too few are known. */
  readonly formatShare: number | null
  /** Share of the domain's verified addresses that were rejected; null when too few are known. */
  readonly missingShare: number | null
}

/** Nothing is known besides the verification. */
export const NO_HISTORY: History = { arrived: 0, bounced: 0, reported: null, formatShare: null, missingShare: null }

/** The model's features in the order of its weights. A value of 0 is neutral; the bias is an accept-all domain. */
export const FEATURES = [
  "verified", // the recipient accepted, a random one refused
  "verified_unsure", // accepted, the random one without a clear answer
  "refused",
  "no_mail_host",
  "unanswered", // any unknown status
  "held_up", // greylisted or temporarily refused
  "mailbox_full",
  "refuses_us",
  "unreachable",
  "google",
  "microsoft",
  "other_operator",
  "accept_all_microsoft",
  "accept_all_google",
  "realism",
  "accept_all_realism",
  "role_account",
  "digits",
  "long_name",
  "domain_format",
  "disposable",
  "relay",
  "free_provider",
  "subaddress",
  "institution",
  "young_domain",
  "parked",
  "no_web_site",
  "spf",
  "dmarc",
  "gravatar",
  "neighbours_missing",
  "domain_history",
  "address_arrived",
  "address_bounced",
] as const
export type Feature = (typeof FEATURES)[number]
export type FeatureValues = Readonly<Partial<Record<Feature, number>>>

const YOUNG_DAYS = 90
const LONG_NAME = 24
/** A format share of 15 % is neutral. */
const USUAL_SHARE = 0.15
const DEFERRED: ReadonlySet<string | null> = new Set(["greylisted", "temporary_failure"])
const UNREACHABLE: ReadonlySet<string | null> = new Set(["unreachable", "dns_failure", "protocol_error"])
const NO_HOST: ReadonlySet<string | null> = new Set(["no_mail_host", "null_mx"])

/** The non-zero values: between -1 and 1, history between -2 and 2. */
export function featuresOf(snapshot: UnscoredSnapshot, history: History): FeatureValues {
  return {
    ...answerFeatures(snapshot),
    ...operatorFeatures(snapshot),
    ...nameFeatures(snapshot, history),
    ...domainFeatures(snapshot),
    ...historyFeatures(history),
  }
}

/** The values as a row in the order of FEATURES. */
export function vectorOf(values: FeatureValues): Float64Array {
  return Float64Array.from(FEATURES, (name) => values[name] ?? 0)
}

function answerFeatures({ status, finding, isCatchAll }: UnscoredSnapshot): FeatureValues {
  switch (status) {
    case "valid":
      return isCatchAll === null ? { verified_unsure: 1 } : { verified: 1 }
    case "invalid":
      return { refused: 1, ...(NO_HOST.has(finding) ? { no_mail_host: 1 } : {}) }
    case "unknown":
      return {
        unanswered: 1,
        ...(DEFERRED.has(finding) ? { held_up: 1 } : {}),
        ...(finding === "mailbox_full" ? { mailbox_full: 1 } : {}),
        ...(finding === "refused_probe" || finding === "relay_denied" ? { refuses_us: 1 } : {}),
        ...(UNREACHABLE.has(finding) ? { unreachable: 1 } : {}),
      }
    default:
      return {}
  }
}

function operatorFeatures({ operator, status }: UnscoredSnapshot): FeatureValues {
  if (operator === null) return {}
  const isAcceptAll = status === "accept_all"
  if (operator === "google") return { google: 1, ...(isAcceptAll ? { accept_all_google: 1 } : {}) }
  if (operator === "microsoft365" || operator === "outlook")
    return { microsoft: 1, ...(isAcceptAll ? { accept_all_microsoft: 1 } : {}) }
  return { other_operator: 1 }
}

/** A role account is not penalized for a local part that is not a person's name. */
function nameFeatures(snapshot: UnscoredSnapshot, { formatShare }: History): FeatureValues {
  const { lists, realism = 0.5, digits, localLength, status, pattern } = snapshot
  const isName = !lists.isRole
  const centered = isName ? 2 * realism - 1 : 0
  const hasFormat = isName && formatShare !== null && pattern !== "other"
  return {
    realism: centered,
    ...(status === "accept_all" ? { accept_all_realism: centered } : {}),
    ...(lists.isRole ? { role_account: 1 } : {}),
    ...(digits > 0 ? { digits: Math.min(1, digits / 6) } : {}),
    ...(localLength > LONG_NAME ? { long_name: 1 } : {}),
    ...(hasFormat ? { domain_format: Math.min(1, (formatShare - USUAL_SHARE) / (1 - USUAL_SHARE)) } : {}),
  }
}

function domainFeatures({ lists, domainAgeDays, web, spf, dmarc, gravatar }: UnscoredSnapshot): FeatureValues {
  const isYoung = domainAgeDays != null && domainAgeDays < YOUNG_DAYS
  return {
    ...(lists.isDisposable ? { disposable: 1 } : {}),
    ...(lists.isRelay ? { relay: 1 } : {}),
    ...(lists.isFree ? { free_provider: 1 } : {}),
    ...(lists.isSubaddress ? { subaddress: 1 } : {}),
    ...(lists.isGovernment || lists.isEducation ? { institution: 1 } : {}),
    ...(isYoung ? { young_domain: 1 - domainAgeDays / YOUNG_DAYS } : {}),
    ...(web === "parked" ? { parked: 1 } : {}),
    ...(web === "none" ? { no_web_site: 1 } : {}),
    ...(spf === null ? {} : { spf: spf ? 0.5 : -0.5 }),
    ...(dmarc === null ? {} : { dmarc: dmarc ? 0.5 : -0.5 }),
    ...(gravatar ? { gravatar: 1 } : {}),
  }
}

function historyFeatures({ arrived, bounced, reported, missingShare }: History): FeatureValues {
  const odds = Math.log((arrived + 1) / (bounced + 1))
  return {
    ...(missingShare === null ? {} : { neighbours_missing: missingShare }),
    ...(arrived + bounced > 0 ? { domain_history: Math.max(-2, Math.min(2, odds)) } : {}),
    ...(reported === "arrived" ? { address_arrived: 1 } : {}),
    ...(reported === "bounced" ? { address_bounced: 1 } : {}),
  }
}

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
