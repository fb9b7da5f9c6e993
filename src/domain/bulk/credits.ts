import { CREDITS } from "../plans/tiers.ts"
import type { Verification } from "../verdict/verification.ts"

/** What verifications cost: a cached or unknown result and a malformed address cost nothing. */
export function creditsFor(verifications: readonly Verification[]): number {
  return verifications.filter(isCharged).length * CREDITS.verification
}

function isCharged({ cached, verdict: { status } }: Verification): boolean {
  return !cached && status !== "unknown" && status !== "invalid_syntax"
}
