import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { type Neighbourhood, neighbourHistory } from "../../domain/model/neighbourhood.ts"
import { type Observation, type Sample, samplesOf } from "../../domain/model/sample.ts"

type Needs = Pick<Deps, "observations" | "clock">

/** Older mail tells of other times. */
const WINDOW_MS = 365 * 24 * 3_600_000
const MAX_ROWS = 60_000
const ROWS_AT_ONCE = 1_000
/** The domains that are mailed most; of the others only the address itself counts. */
const MAX_DOMAINS = 4_000
const DOMAINS_AT_ONCE = 200

/** Where the window of what is learned from begins, Unix milliseconds. */
export function windowStart(now: number): number {
  return now - WINDOW_MS
}

/** Samples of a kind from the latest feedback, in the order of time. @param onProgress is told the share that is read */
export async function collectSamples(
  needs: Needs,
  { kind, onProgress }: { kind: ModelKind; onProgress: (share: number) => Promise<void> },
): Promise<Sample[]> {
  const { observations } = needs
  const rows = await observations.latestRows({ since: windowStart(needs.clock.now()), limit: MAX_ROWS })
  const facts: Observation[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    for (const fact of await observations.read(rows.slice(at, at + ROWS_AT_ONCE), kind)) facts.push(fact)
    await onProgress(Math.min(1, (at + ROWS_AT_ONCE) / rows.length))
  }
  const neighbourhoods = await collectNeighbourhoods(needs, facts)
  return samplesOf(facts, ({ pattern, status }, domain) => {
    const own = status === "invalid" ? ("missing" as const) : ("known" as const)
    return neighbourHistory(neighbourhoods.get(domain), { pattern, own })
  })
}

async function collectNeighbourhoods({ observations }: Needs, facts: readonly Observation[]) {
  const counts = new Map<string, number>()
  for (const { domain } of facts) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  const domains = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!).slice(0, MAX_DOMAINS)
  const found = new Map<string, Neighbourhood>()
  for (let at = 0; at < domains.length; at += DOMAINS_AT_ONCE)
    for (const entry of await observations.neighbourhoods(domains.slice(at, at + DOMAINS_AT_ONCE))) found.set(...entry)
  return found
}
