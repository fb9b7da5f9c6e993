import type { OpenCharge } from "../../adapters/keygate/meter.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import type { DomainFacts, Evidence } from "../../domain/verdict/evidence.ts"
import { lifetimeMs } from "../../domain/verdict/lifetime.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"
import { domainFacts } from "./domain-facts.ts"
import { cacheHash } from "./find-cached.ts"
import { probeMailbox } from "./probe-mailbox.ts"

type Needs = Pick<
  Deps,
  | "clock"
  | "randomToken"
  | "log"
  | "dns"
  | "probes"
  | "results"
  | "cache"
  | "digests"
  | "presentCached"
  | "meter"
  | "background"
>

export interface VerifyInput {
  readonly email: string
  /** Ask the mail server; without it the status of a reachable domain is unknown. */
  readonly smtp: boolean
  /** The hard wall in ms: at the wall the best-known result is returned and the verification goes on in the background. */
  readonly timeoutMs: number
}

/** Verifies one address, from the store when a fresh result is there. Syntax → domain facts → mailbox → verdict → store. */
export async function verify(needs: Needs, { email, smtp, timeoutMs }: VerifyInput): Promise<Verification> {
  const address = parseAddress(email)
  const lists = classifyAddress(address)
  const startedAt = needs.clock.now()
  const fresh = (evidence: Evidence) => assess(evidence, { cached: false, isSuppressed: false, verifiedAt: startedAt })
  const nothing: Evidence = { address, lists, domain: null, mailbox: null, probeProblem: null }
  if (!address.ok) return fresh(nothing)

  const stored = await needs.results.latest(cacheKey(address), address.domain)
  if (stored.result && stored.result.expiresAt > startedAt) {
    const evidence = { ...stored.result.evidence, address, lists }
    return assess(evidence, { cached: true, isSuppressed: false, verifiedAt: stored.result.verifiedAt })
  }

  const progress = { domain: null as DomainFacts | null }
  const charge = await needs.meter.reserve(CREDITS.verification)
  const complete = (async () => {
    const evidence = await collect(needs, { address, nothing, progress, smtp, facts: stored.facts, timeoutMs })
    const verification = fresh(evidence)
    await store(needs, address, verification)
    return verification
  })()
  const wall = needs.clock.sleep(timeoutMs).then(() => null)
  const inTime = await settled(charge, Promise.race([complete, wall]))
  if (inTime) return inTime
  needs.background(complete)
  return fresh({ ...nothing, domain: progress.domain, probeProblem: "deadline" })
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

interface Collecting {
  readonly address: ValidAddress
  readonly nothing: Evidence
  readonly progress: { domain: DomainFacts | null }
  readonly smtp: boolean
  readonly facts: DomainFacts | null
  readonly timeoutMs: number
}

async function collect(
  needs: Needs,
  { address, nothing, progress, smtp, facts, timeoutMs }: Collecting,
): Promise<Evidence> {
  const domain = await domainFacts(needs, { domain: address.domain, stored: facts })
  progress.domain = domain
  const { route } = domain
  const hasMailHost = route.kind === "mx" || route.kind === "implicit_mx"
  if (!smtp || !hasMailHost) return { ...nothing, domain }
  const mailbox = await probeMailbox(needs, { address, hosts: route.hosts, deadlineMs: timeoutMs })
  return { ...nothing, domain, mailbox, probeProblem: mailbox ? null : "no_node" }
}

async function store(needs: Needs, address: ValidAddress, verification: Verification) {
  const { evidence, verdict, score, verifiedAt } = verification
  const lifetime = lifetimeMs(verdict)
  if (lifetime === 0) return
  const expiresAt = verifiedAt + lifetime
  await needs.results.save({
    key: cacheKey(address),
    domain: address.domain,
    evidence,
    verdict,
    score: score.total,
    verifiedAt,
    expiresAt,
  })
  const hash = await cacheHash(needs, address)
  await needs.cache.put(hash, { ...needs.presentCached(verification), verifiedAt, expiresAt })
}
