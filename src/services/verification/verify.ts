import type { OpenCharge } from "../../adapters/keygate/meter.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { nextCheckAt } from "../../domain/verdict/recheck.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"
import { learnFromVerification } from "../finder/learn-from-verification.ts"
import { ALL_CHECKS, type Checks, wantedFacts } from "./checks.ts"
import { completeStored } from "./complete-stored.ts"
import { FACTS_BUDGET_MS, type FactNeeds, type Gathering, gatherFacts } from "./domain-facts.ts"
import { cacheHash } from "./find-cached.ts"
import { findGravatar } from "./find-gravatar.ts"
import { probeMailbox } from "./probe-mailbox.ts"
import { type StoreNeeds, storeVerifications } from "./store-verifications.ts"

export type VerifyNeeds = FactNeeds &
  StoreNeeds &
  Pick<Deps, "randomToken" | "probes" | "gravatar" | "formats" | "meter" | "flights" | "rechecks" | "recheckDelaysMs">

export interface VerifyInput {
  readonly email: string
  /** Ask the mail server; without it the status of a reachable domain is unknown. */
  readonly smtp: boolean
  /** Optional checks; all of them when left out. */
  readonly checks?: Checks
  /** The hard wall in ms: at the wall the best-known result is returned and the verification goes on in the background. */
  readonly timeoutMs: number
}

/** Verifies one address, from the store when a fresh result is there. Syntax → domain facts → mailbox → verdict → store. */
export async function verify(needs: VerifyNeeds, input: VerifyInput): Promise<Verification> {
  const { email, smtp, timeoutMs, checks = ALL_CHECKS } = input
  const address = parseAddress(email)
  const lists = classifyAddress(address)
  const startedAt = needs.clock.now()
  const fresh = (evidence: Evidence) => assess(evidence, { cached: false, isSuppressed: false, verifiedAt: startedAt })
  const nothing: Evidence = { address, lists, domain: null, mailbox: null, probeProblem: null }
  if (!address.ok) return fresh(nothing)

  const asked = { address, lists, checks }
  let { served, stored } = await lookUp(needs, asked)
  if (served) return served
  const land = smtp ? await lead(needs, address, timeoutMs) : null
  if (smtp && !land) {
    // Somebody else has just found out.
    ;({ served, stored } = await lookUp(needs, asked))
    if (served) return served
  }

  const charge = await needs.meter.reserve(CREDITS.verification).catch(async (refusal: unknown) => {
    await land?.()
    throw refusal
  })
  const { domain } = address
  const gathering = gatherFacts(needs, { domain, stored: stored.facts, wanted: wantedFacts(checks) })
  const before = stored.result?.evidence ?? null
  const complete = (async () => {
    try {
      const evidence = await collect(needs, { address, nothing, before, gathering, smtp, checks, timeoutMs })
      return await keep(needs, fresh(evidence))
    } finally {
      await land?.()
    }
  })()
  const wall = needs.clock.sleep(timeoutMs).then(() => null)
  const inTime = await settled(charge, Promise.race([complete, wall]))
  if (inTime) return inTime
  needs.background(complete)
  return fresh({ ...nothing, domain: gathering.soFar(), probeProblem: "deadline" })
}

/** The stored result when it is fresh, and what is stored otherwise. */
async function lookUp(
  needs: VerifyNeeds,
  { address, lists, checks }: { address: ValidAddress; lists: Evidence["lists"]; checks: Checks },
) {
  const stored = await needs.results.latest(cacheKey(address), address.domain)
  if (!stored.result || stored.result.expiresAt <= needs.clock.now()) return { served: null, stored }
  const before = { ...stored.result.evidence, address, lists }
  const evidence = await completeStored(needs, { evidence: before, kept: stored.facts, checks })
  const { verifiedAt } = stored.result
  return { served: assess(evidence, { cached: true, isSuppressed: false, verifiedAt }), stored }
}

/**
 * Of many who ask at once one does it, the others wait for it, at most as long as theirs may last.
 * @returns what the one must call when it is done; null for the others
 */
async function lead({ digests, flights, clock }: VerifyNeeds, address: ValidAddress, timeoutMs: number) {
  const flight = await cacheHash({ digests }, address)
  const tooLate = clock.sleep(timeoutMs).then(() => false)
  const isLeader = await Promise.race([flights.enter(flight, timeoutMs), tooLate])
  return isLeader ? () => flights.land(flight) : null
}

/** Settles the charge with what the work came to: an unknown result and a failure cost nothing. */
async function settled(charge: OpenCharge, work: Promise<Verification | null>): Promise<Verification | null> {
  let credits = 0
  try {
    const verification = await work
    if (verification && verification.verdict.status !== "unknown") credits = CREDITS.verification
    return verification
  } finally {
    await charge.settle(credits)
  }
}

interface Collecting extends Omit<VerifyInput, "email"> {
  readonly address: ValidAddress
  readonly nothing: Evidence
  /** What was found out the last time. */
  readonly before: Evidence | null
  readonly gathering: Gathering
  readonly checks: Checks
}

/** Asks the mail server as soon as the route is known, and for everything else meanwhile. */
async function collect(
  needs: VerifyNeeds,
  { address, nothing, before, gathering, ...options }: Collecting,
): Promise<Evidence> {
  const { smtp, checks, timeoutMs } = options
  const probe = async () => {
    const route = await gathering.route
    if (!smtp || !hasMailHost(route)) return { mailbox: null, probeProblem: null }
    const mailbox = await probeMailbox(needs, {
      address,
      hosts: route.hosts,
      deadlineMs: timeoutMs,
      before: before?.mailbox ?? null,
    })
    return { mailbox, probeProblem: mailbox ? null : ("no_node" as const) }
  }
  const [domain, gravatar, probed] = await Promise.all([
    gathering.within(FACTS_BUDGET_MS),
    checks.gravatar ? findGravatar(needs, address, before?.gravatar) : undefined,
    probe(),
  ])
  return { ...nothing, domain, ...probed, ...(gravatar ? { gravatar } : {}) }
}

/** Keeps the result; a server that asked us to come back is noted for it. */
async function keep(needs: VerifyNeeds, found: Verification): Promise<Verification> {
  const { evidence, verdict, verifiedAt } = found
  const { address } = evidence
  const isPrivate = evidence.mailbox?.isPrivate ?? false
  const dueAt = isPrivate
    ? null
    : nextCheckAt(verdict, { attempt: 0, from: verifiedAt, delaysMs: needs.recheckDelaysMs })
  const verification = dueAt === null ? found : { ...found, evidence: { ...evidence, nextCheckAt: dueAt } }
  await storeVerifications(needs, [verification], () => true)
  if (isPrivate) return verification
  needs.background(learnFromVerification(needs, verification))
  if (dueAt !== null && address.ok) await needs.rechecks.note(address.normalized, dueAt)
  return verification
}
