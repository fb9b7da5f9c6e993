import { type AccountFlags, isHidden } from "../suppression/flags.ts"
import type { FactName, StoredEvidence, StoredFacts } from "./evidence.ts"
import { hasNoServerAnswer } from "./next-attempt.ts"
import type { Verification } from "./verification.ts"

/** Facts that affect the score at one query each. Lists request no others. */
const LIST_FACTS = ["route", "spf", "dmarc"] as const
/** Facts that the verification of a single address always has. */
const DNS_FACTS = [...LIST_FACTS, "exchangers", "dkim", "mtaSts", "bimi"] as const
/** The fact of each optional check that needs one. */
const OPTIONAL_FACTS = { rbl: "rbl", webPresence: "web", domainAge: "registration" } as const
/** Age of a stored result that `refresh` replaces, in ms. An unknown result is free, so this limits the probes of it. */
const REFRESHED_AFTER_MS = 60_000

/** Optional checks of a verification. A check that is off makes no network call and adds nothing to the answer. */
export type OptionalChecks = Readonly<Record<"rbl" | "gravatar" | "webPresence" | "domainAge", boolean>>

/** The default: every check is on. */
export const ALL_CHECKS: OptionalChecks = { rbl: true, gravatar: true, webPresence: true, domainAge: true }

/** The facts that the verification of a single address needs with these checks. */
export function wantedFacts(checks: Omit<OptionalChecks, "gravatar">): ReadonlySet<FactName> {
  const names = Object.keys(OPTIONAL_FACTS) as (keyof typeof OPTIONAL_FACTS)[]
  return new Set<FactName>([...DNS_FACTS, ...names.filter((name) => checks[name]).map((name) => OPTIONAL_FACTS[name])])
}

/** The facts that a list needs of a domain. Others are included while they are stored and fresh. @param now Unix ms */
export function wantedForList(stored: StoredFacts | null, now: number): ReadonlySet<FactName> {
  const fresh = (Object.keys(stored ?? {}) as FactName[]).filter((name) => stored![name]!.expiresAt > now)
  return new Set<FactName>([...LIST_FACTS, ...fresh])
}

/** The stored results that replace a probe: none, fresh ones, those with a known mailbox, or those of a minute. */
export type Serving = "nothing" | "fresh" | "settled" | "refresh"

/** A stored result, fresh or not. */
interface Stored {
  readonly evidence: StoredEvidence
  /** Unix ms, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

/** Whether a stored result is fresh, visible to the account, and young enough to answer. @param now Unix ms */
export function answers<T extends Stored>(
  result: T | null | undefined,
  { serve, hidesUntil, now }: { serve: Serving } & Pick<AccountFlags, "hidesUntil"> & { now: number },
): result is T {
  if (!result || serve === "nothing" || result.expiresAt <= now || isHidden({ hidesUntil }, result.verifiedAt))
    return false
  return serve !== "refresh" || result.verifiedAt > now - REFRESHED_AFTER_MS
}

/** The evidence that a new probe builds on: of a hidden result only the node and source IP, for greylisting. */
export function reusableEvidence(
  { evidence, verifiedAt }: Stored,
  flags: Pick<AccountFlags, "hidesUntil">,
): StoredEvidence {
  if (!isHidden(flags, verifiedAt)) return evidence
  return { domain: null, mailbox: evidence.mailbox, probeProblem: null }
}

/** Whether a verification is stored. Without a server's answer it replaces neither a fresh result nor a deferral. */
export function isToStore(
  { cached, verdict, verifiedAt }: Pick<Verification, "cached" | "verdict" | "verifiedAt">,
  { previous, isDeferred = false }: { previous: Stored | null | undefined; isDeferred?: boolean },
): boolean {
  if (cached) return false
  return !hasNoServerAnswer(verdict) || (!isDeferred && (previous?.expiresAt ?? 0) <= verifiedAt)
}
