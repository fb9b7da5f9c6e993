import type { Deps } from "../../deps.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type LearnNeeds, learnFormats } from "./learn-formats.ts"

/** A mailbox that a server confirmed teaches its domain's format. Never rejects: nobody waits for it. */
export async function learnFromVerification(
  needs: LearnNeeds & Pick<Deps, "log">,
  { evidence: { address, lists }, verdict }: Verification,
): Promise<void> {
  const isConfirmed = verdict.status === "valid" && verdict.isCatchAll === false
  if (!address.ok || !isConfirmed || lists.isRole) return
  try {
    await learnFormats(needs, { domain: address.domain, samples: [{ localPart: address.local }], source: "verified" })
  } catch (error) {
    needs.log("formats_not_learned", { error: (error as Error).message })
  }
}
