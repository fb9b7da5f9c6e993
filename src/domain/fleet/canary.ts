import type { CanaryFinding } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { fateOf } from "./fate.ts"

/** Whether what an operator says about two addresses of our own, one real and one not, still tells them apart. */
export function readCanary(existing: RecipientOutcome | null, missing: RecipientOutcome | null): CanaryFinding {
  const [real, unreal] = [existing, missing].map((outcome) => (outcome === null ? null : fateOf(outcome)))
  if (real === "answered" && unreal === "missing") return "as_expected"
  if (real === "answered" && unreal === "answered") return "blanket_accept"
  const turnedAway = (fate: unknown) => fate === "missing" || fate === "blocked"
  return turnedAway(real) && turnedAway(unreal) ? "blanket_refuse" : "unclear"
}

export function isDrift(finding: CanaryFinding | null): boolean {
  return finding === "blanket_accept" || finding === "blanket_refuse"
}
