import type { Context } from "../../context.ts"
import type { Evidence, StoredFacts } from "../../domain/verdict/evidence.ts"
import { completeFacts, type OptionalFacts, wantedFacts } from "./domain-facts.ts"
import { findGravatar } from "./gravatar.ts"

/** Optional checks of a verification. A check that is off makes no network call and adds nothing to the answer. */
export interface Checks extends OptionalFacts {
  readonly gravatar: boolean
}

/** The default: every check is on. */
export const ALL_CHECKS: Checks = { rbl: true, gravatar: true, webPresence: true, domainAge: true }

/** Adapts stored evidence to the caller's checks: omits checks that are off and runs missing ones. Probes no server. */
export async function completeStored(
  ctx: Context,
  { gravatar: before, ...known }: Evidence,
  { kept, checks, budgetMs }: { kept: StoredFacts | null; checks: Checks; budgetMs: number },
): Promise<Evidence> {
  const { address } = known
  const [domain, gravatar] = await Promise.all([
    known.domain && completeFacts(ctx, known.domain, { kept, wanted: wantedFacts(checks), budgetMs }),
    checks.gravatar && address.ok ? findGravatar(ctx, address, { before, budgetMs }) : undefined,
  ])
  return { ...known, domain, ...(gravatar ? { gravatar } : {}) }
}
