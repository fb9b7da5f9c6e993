import type { PendingVerification } from "../../adapters/store/pending.ts"
import type { Deps } from "../../deps.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"
import { readPending } from "./read-pending.ts"

/** A quick verification and, once complete, its result. @throws AppError not_found, also for another account's */
export async function findPending(
  needs: Pick<Deps, "pending" | "results" | "suppressions" | "digests" | "clock">,
  { verificationId, caller }: { verificationId: string; caller: Caller },
): Promise<{ pending: PendingVerification; verification: Verification | null }> {
  const pending = await needs.pending.find(verificationId)
  if (!pending || !mayRead(pending, caller)) throw new AppError("not_found", "there is no such verification")
  return { pending, verification: await readPending(needs, pending) }
}

function mayRead({ accountId }: PendingVerification, caller: Caller): boolean {
  if (accountId === null || caller.kind === "admin") return true
  return caller.kind === "member" && caller.accountId === accountId
}
