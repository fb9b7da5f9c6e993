import type { Context } from "../../context.ts"
import type { Verification } from "../../domain/verdict/verification.ts"

/** Counts a confirmed mailbox as a sample of its domain's format. Never rejects: it runs in the background. */
export async function learnFromVerification(
  ctx: Context,
  { evidence: { address, lists }, verdict }: Verification,
): Promise<void> {
  const isConfirmed = verdict.status === "valid" && verdict.isCatchAll === false
  if (!address.ok || !isConfirmed || lists.isRole) return
  try {
    // Loaded on use: the romanization of names is a large part of the Worker's code, and no answer waits for it.
    const { learnFormats } = await import("./learn-formats.ts")
    await learnFormats(ctx, { domain: address.domain, samples: [{ localPart: address.local }], source: "verified" })
  } catch (error) {
    ctx.log("formats_not_learned", { error: (error as Error).message })
  }
}
