import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import {
  type Neighborhood,
  neighborHistory,
  type Observation,
  type Sample,
  samplesOf,
} from "../../domain/learning/samples.ts"

/** Older feedback no longer describes today's mail. */
const WINDOW_MS = 365 * 24 * 3_600_000
const MAX_ROWS = 60_000
const ROWS_AT_ONCE = 1_000
/** The domains with the most feedback. For other domains only the address itself counts. */
const MAX_DOMAINS = 4_000
const DOMAINS_AT_ONCE = 200

/** Returns the start of the training window, Unix milliseconds. */
export function windowStart(now: number): number {
  return now - WINDOW_MS
}

/** Collects samples from the latest feedback, in order of time. @param onProgress receives the share read */
export async function collectSamples(
  ctx: Context,
  { kind, onProgress }: { kind: ModelKind; onProgress: (share: number) => Promise<void> },
): Promise<Sample[]> {
  const { observations } = ctx.store
  const rows = await observations.latestRows({ since: windowStart(ctx.clock.now()), limit: MAX_ROWS })
  const facts: Observation[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    for (const fact of await observations.read(rows.slice(at, at + ROWS_AT_ONCE), kind)) facts.push(fact)
    await onProgress(Math.min(1, (at + ROWS_AT_ONCE) / rows.length))
  }
  if (kind === "catch_all") return samplesOf(facts, null)
  const neighborhoods = await collectNeighbourhoods(ctx, facts)
  return samplesOf(facts, ({ pattern, status }, domain) => {
    const own = status === "invalid" ? ("missing" as const) : ("known" as const)
    return neighborHistory(neighborhoods.get(domain), { pattern, own })
  })
}

async function collectNeighbourhoods(ctx: Context, facts: readonly Observation[]) {
  const counts = new Map<string, number>()
  for (const { domain } of facts) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  const domains = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!).slice(0, MAX_DOMAINS)
  const found = new Map<string, Neighborhood>()
  for (let at = 0; at < domains.length; at += DOMAINS_AT_ONCE)
    for (const entry of await ctx.store.observations.neighborhoods(domains.slice(at, at + DOMAINS_AT_ONCE)))
      found.set(...entry)
  return found
}
