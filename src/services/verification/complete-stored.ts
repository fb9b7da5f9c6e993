import type { Context } from "../../context.ts"
import type { Evidence, OptionalService, StoredFacts } from "../../domain/verdict/evidence.ts"
import { completeFacts, type OptionalFacts, wantedFacts } from "./domain-facts.ts"
import { findGravatar } from "./gravatar.ts"

/** Optional checks of a verification. A check that is off makes no network call and adds nothing to the answer. */
export interface Checks extends OptionalFacts {
  readonly gravatar: boolean
}

/** The default: every check is on. */
export const ALL_CHECKS: Checks = { rbl: true, gravatar: true, webPresence: true, domainAge: true }

/** The evidence of the optional checks before any of them has an answer. */
export function noAnswers(
  ctx: Pick<Context, "clock" | "gravatar" | "rdap">,
  checks: Pick<Checks, "gravatar" | "domainAge">,
): Pick<Evidence, "gravatar" | "notConfigured"> {
  const notConfigured: OptionalService[] = []
  if (checks.gravatar && !ctx.gravatar.isConfigured) notConfigured.push("gravatar")
  if (checks.domainAge && !ctx.rdap.isConfigured) notConfigured.push("registration")
  return {
    ...(checks.gravatar ? { gravatar: { found: null, checkedAt: ctx.clock.now() } } : {}),
    ...(notConfigured.length > 0 ? { notConfigured } : {}),
  }
}

/** Adapts stored evidence to the caller's checks: omits checks that are off and runs missing ones. Probes no server. */
export async function completeStored(
  ctx: Context,
  { gravatar: before, notConfigured: _, ...known }: Evidence,
  { kept, checks, budgetMs }: { kept: StoredFacts | null; checks: Checks; budgetMs: number },
): Promise<Evidence> {
  const { address } = known
  const [domain, gravatar] = await Promise.all([
    known.domain && completeFacts(ctx, known.domain, { kept, wanted: wantedFacts(checks), budgetMs }),
    checks.gravatar && address.ok ? findGravatar(ctx, address, { before, budgetMs }) : undefined,
  ])
  return { ...known, domain, ...noAnswers(ctx, checks), ...(gravatar ? { gravatar } : {}) }
}
