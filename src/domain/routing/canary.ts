import type { CanaryFinding } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { outcomeClassOf } from "./outcome-class.ts"

/** Compares an operator's answers about two known addresses, one existing and one missing. */
export function readCanary(existing: RecipientOutcome | null, missing: RecipientOutcome | null): CanaryFinding {
  const [real, unreal] = [existing, missing].map((outcome) => (outcome === null ? null : outcomeClassOf(outcome)))
  if (real === "answered" && unreal === "missing") return "as_expected"
  if (real === "answered" && unreal === "answered") return "blanket_accept"
  const isRejected = (outcomeClass: unknown) => outcomeClass === "missing" || outcomeClass === "blocked"
  return isRejected(real) && isRejected(unreal) ? "blanket_refuse" : "unclear"
}

export function isDrift(finding: CanaryFinding | null): boolean {
  return finding === "blanket_accept" || finding === "blanket_refuse"
}
