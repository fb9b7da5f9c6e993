import { CREDITS } from "../accounts/tiers.ts"
import type { Verification } from "../verdict/verification.ts"

/** Credits for verifications. Cached and unknown results and malformed addresses are free. */
export function creditsFor(verifications: readonly Verification[]): number {
  return verifications.filter(isCharged).length * CREDITS.verification
}

function isCharged({ cached, verdict: { status } }: Verification): boolean {
  return !cached && status !== "unknown" && status !== "invalid_syntax"
}
