import { patternOf } from "../address/address-forms.ts"
import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import { domainAgeDays, webPresenceOf } from "../verification/evidence.ts"
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

/** Values between -1 and 1, of the history between -2 and 2. Neutral ones are left out. */
export function featuresOf(snapshot: UnscoredSnapshot, history: History): FeatureValues {
  const values = {
    ...answerFeatures(snapshot),
    ...nameFeatures(snapshot, history),
    ...domainFeatures(snapshot, history),
  }
  const numbers = Object.entries(values).map(([name, value]) => [name, Number(value)] as const)
  return Object.fromEntries(numbers.filter(([, value]) => value !== 0))
}

/** The values as a row in the order of FEATURES. */
export function vectorOf(values: FeatureValues): Float64Array {
  return Float64Array.from(FEATURES, (name) => values[name] ?? 0)
}

/** `true` is 1. */
type RawValues = Readonly<Partial<Record<Feature, number | boolean>>>

function answerFeatures({ status, finding, isCatchAll, operator }: UnscoredSnapshot): RawValues {
  const [isUnknown, isAcceptAll] = [status === "unknown", status === "accept_all"]
  const isGoogle = operator === "google"
  const isMicrosoft = operator === "microsoft365" || operator === "outlook"
  return {
    verified: status === "valid" && isCatchAll !== null,
    verified_unsure: status === "valid" && isCatchAll === null,
    refused: status === "invalid",
    no_mail_host: status === "invalid" && NO_HOST.has(finding),
    unanswered: isUnknown,
    held_up: isUnknown && DEFERRED.has(finding),
    mailbox_full: isUnknown && finding === "mailbox_full",
    refuses_us: isUnknown && (finding === "refused_probe" || finding === "relay_denied"),
    unreachable: isUnknown && UNREACHABLE.has(finding),
    google: isGoogle,
    accept_all_google: isGoogle && isAcceptAll,
    microsoft: isMicrosoft,
    accept_all_microsoft: isMicrosoft && isAcceptAll,
    other_operator: operator !== null && !isGoogle && !isMicrosoft,
  }
}

/** A role account is not penalized for a local part that is not a person's name. */
function nameFeatures(snapshot: UnscoredSnapshot, { formatShare }: History): RawValues {
  const { lists, realism = 0.5, digits, localLength, status, pattern } = snapshot
  const centered = lists.isRole ? 0 : 2 * realism - 1
  const hasFormat = !lists.isRole && formatShare !== null && pattern !== "other"
  return {
    realism: centered,
    accept_all_realism: status === "accept_all" && centered,
    role_account: lists.isRole,
    digits: Math.min(1, digits / 6),
    long_name: localLength > LONG_NAME,
    domain_format: hasFormat && Math.min(1, (formatShare - USUAL_SHARE) / (1 - USUAL_SHARE)),
  }
}

function domainFeatures(snapshot: UnscoredSnapshot, history: History): RawValues {
  const { lists, domainAgeDays, web, spf, dmarc, gravatar } = snapshot
  const { arrived, bounced, reported, missingShare } = history
  const isYoung = domainAgeDays != null && domainAgeDays < YOUNG_DAYS
  return {
    disposable: lists.isDisposable,
    relay: lists.isRelay,
    free_provider: lists.isFree,
    subaddress: lists.isSubaddress,
    institution: lists.isGovernment || lists.isEducation,
    young_domain: isYoung && 1 - domainAgeDays / YOUNG_DAYS,
    parked: web === "parked",
    no_web_site: web === "none",
    spf: spf !== null && (spf ? 0.5 : -0.5),
    dmarc: dmarc !== null && (dmarc ? 0.5 : -0.5),
    gravatar: gravatar === true,
    neighbours_missing: missingShare ?? 0,
    domain_history: Math.max(-2, Math.min(2, Math.log((arrived + 1) / (bounced + 1)))),
    address_arrived: reported === "arrived",
    address_bounced: reported === "bounced",
  }
}

/** The evidence behind a verdict at the time of feedback, without the address. A training sample stores it. */
export type Snapshot = UnscoredSnapshot & { readonly score: number }

/** What a model may read of the evidence behind a verdict. The score depends on a model, so it is not part of it. */
export type UnscoredSnapshot = NonNullable<ReturnType<typeof unscoredSnapshot>>

/** Null for a malformed address: it trains no model. */
export function snapshotOf(verification: Judged & { readonly score: { readonly total: number } }): Snapshot | null {
  const unscored = unscoredSnapshot(verification)
  return unscored && { ...unscored, score: verification.score.total }
}

/** The same before the score is known. */
export function unscoredSnapshot({ evidence, verdict, verifiedAt }: Judged) {
  const { address, domain, mailbox, lists, gravatar } = evidence
  if (!address.ok) return null
  const host = mailbox?.session?.mxHost ?? mailHostsOf(domain?.route)[0]
  return {
    status: verdict.status,
    finding: verdict.finding as string | null,
    isCatchAll: verdict.isCatchAll,
    operator: findOperator(host)?.name ?? null,
    spf: domain?.spf ? domain.spf.kind === "valid" : null,
    dmarc: domain?.dmarc ? domain.dmarc.kind === "record" : null,
    lists,
    pattern: patternOf(address.local),
    localLength: [...address.local].length,
    digits: address.local.replace(/\D/g, "").length,
    realism: localRealism(address.local),
    domainAgeDays: domainAgeDays(domain, verifiedAt),
    web: webPresenceOf(domain),
    gravatar: gravatar?.found ?? null,
    verifiedAt,
  }
}
