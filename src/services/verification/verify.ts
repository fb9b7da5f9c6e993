import { byWall } from "../../adapters/by-wall.ts"
import type { OpenCharge } from "../../adapters/keygate/meter.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { freshFacts } from "../../domain/verdict/domain-facts.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { noEvidence, renewed } from "../../domain/verdict/evidence-about.ts"
import { nextCheckAt } from "../../domain/verdict/recheck.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"
import { learnFromVerification } from "../finder/learn-from-verification.ts"
import { ALL_CHECKS, type Checks, wantedFacts } from "./checks.ts"
import { type CollectNeeds, collectEvidence } from "./collect-evidence.ts"
import { completeStored } from "./complete-stored.ts"
import { type StoreNeeds, storeVerifications } from "./store-verifications.ts"
import { takeTurn } from "./take-turn.ts"

export type VerifyNeeds = CollectNeeds &
  StoreNeeds &
  Pick<Deps, "formats" | "meter" | "flights" | "rechecks" | "recheckDelaysMs">

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
  const startedAt = needs.clock.now()
  const wallAt = startedAt + timeoutMs
  const fresh = (evidence: Evidence) => assess(evidence, { cached: false, verifiedAt: startedAt })
  if (!address.ok) return fresh(noEvidence(address))

  const asked = { address, checks, wallAt }
  let { served, stored } = await lookUp(needs, asked)
  if (served) return served
  const turn = smtp ? await takeTurn(needs, { address, wallAt }) : null
  if (turn === "late") {
    const kept = { stored: stored.facts, wanted: wantedFacts(checks), now: startedAt }
    return fresh({ ...noEvidence(address), domain: freshFacts(address.domain, kept), probeProblem: "deadline" })
  }
  if (turn === "landed") {
    // Somebody else has just found out.
    ;({ served, stored } = await lookUp(needs, asked))
    if (served) return served
  }
  const land = turn === "landed" ? undefined : turn?.land

  const charge = await needs.meter.reserve(CREDITS.verification).catch(async (refusal: unknown) => {
    await land?.()
    throw refusal
  })
  const before = stored.result?.evidence ?? null
  const collection = collectEvidence(needs, { ...asked, before, kept: stored.facts, smtp })
  const complete = (async () => {
    try {
      return await keep(needs, fresh(await collection.complete))
    } finally {
      await land?.()
    }
  })()
  // The caller may go away, and the platform then ends what its request began: others may be waiting for the result.
  needs.background(complete.catch(() => undefined))
  const inTime = async () => {
    const verification = await byWall(needs.clock, complete, wallAt)
    if (verification) return verification
    needs.background(complete)
    return fresh(collection.soFar())
  }
  return settled(charge, inTime())
}

interface LookUp {
  readonly address: ValidAddress
  readonly checks: Checks
  readonly wallAt: number
}

/** The stored result when it is fresh, and what is stored otherwise. */
async function lookUp(needs: VerifyNeeds, { address, checks, wallAt }: LookUp) {
  const stored = await needs.results.latest(cacheKey(address), address.domain)
  if (!stored.result || stored.result.expiresAt <= needs.clock.now()) return { served: null, stored }
  const evidence = await completeStored(needs, {
    evidence: renewed(stored.result.evidence, address),
    kept: stored.facts,
    checks,
    leftMs: wallAt - needs.clock.now(),
  })
  const { verifiedAt } = stored.result
  return { served: assess(evidence, { cached: true, verifiedAt }), stored }
}

/** Settles the charge with what the work came to: an unknown result and a failure cost nothing. */
async function settled(charge: OpenCharge, work: Promise<Verification>): Promise<Verification> {
  let credits = 0
  try {
    const verification = await work
    if (verification.verdict.status !== "unknown") credits = CREDITS.verification
    return verification
  } finally {
    await charge.settle(credits)
  }
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
