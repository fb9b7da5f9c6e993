import type { Context } from "../../context.ts"
import type { DomainFacts, FactName } from "../../domain/verification/evidence.ts"
import { gatherFacts } from "../verification/facts.ts"

/** The slowest finder's timeout in ms: a request for a fact waits for it, a verification would not. */
const BUDGET_MS = 9_000

/** Returns facts of a domain by name: stored ones while they are fresh, others fetched now. */
export async function gatherDomain(
  ctx: Context,
  { domain, wanted }: { domain: string; wanted: readonly FactName[] },
): Promise<DomainFacts> {
  const stored = (await ctx.store.resultLists.factsOf([domain])).get(domain) ?? null
  return gatherFacts(ctx, { domain, stored, wanted: new Set(["route", ...wanted]) }).within(BUDGET_MS)
}
