import type { Deps } from "../../deps.ts"
import { chooseFacts, fillFacts } from "../../domain/verdict/domain-facts.ts"
import type { Evidence, FactName, KeptFacts } from "../../domain/verdict/evidence.ts"
import { type Checks, wantedFacts } from "./checks.ts"
import { findGravatar } from "./find-gravatar.ts"
import { FACTS_BUDGET_MS, type FactNeeds, gatherFacts } from "./gather-facts.ts"

interface StoredInput {
  readonly evidence: Evidence
  /** The facts kept about the domain, which may know more by now. */
  readonly kept: KeptFacts | null
  readonly checks: Checks
  /** What is left to the caller, in ms. */
  readonly leftMs: number
}

/**
 * Stored evidence as this caller asked for it: checks that are off are left out, those never made are made now. What
 * could not be found out before is tried again in the background. The mail server is not asked.
 */
export async function completeStored(
  needs: FactNeeds & Pick<Deps, "gravatar">,
  { evidence, kept, checks, leftMs }: StoredInput,
): Promise<Evidence> {
  const budgetMs = Math.max(0, Math.min(FACTS_BUDGET_MS, leftMs))
  const { gravatar: before, ...rest } = evidence
  const { address } = rest
  const [domain, gravatar] = await Promise.all([
    completeDomain(needs, { evidence, kept, checks, budgetMs }),
    checks.gravatar && address.ok ? findGravatar(needs, address, { before, budgetMs }) : undefined,
  ])
  return { ...rest, domain, ...(gravatar ? { gravatar } : {}) }
}

type DomainInput = Omit<StoredInput, "leftMs"> & { readonly budgetMs: number }

async function completeDomain(needs: FactNeeds, { evidence: { domain: own }, kept, checks, budgetMs }: DomainInput) {
  if (!own) return null
  const wanted = wantedFacts(checks)
  const lacking = new Set<FactName>([...wanted].filter((name) => own[name] == null))
  if (lacking.size === 0) return chooseFacts(own, wanted)
  const { route, domain } = own
  const known = { value: route, checkedAt: own.checkedAt.route ?? 0, expiresAt: Number.MAX_SAFE_INTEGER }
  const gathering = gatherFacts(needs, { domain, stored: { ...kept, route: known }, wanted: lacking })
  const neverAsked = [...lacking].some((name) => own[name] === undefined)
  return fillFacts(chooseFacts(own, wanted), await gathering.within(neverAsked ? budgetMs : 0))
}
