import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { type Activity, appraiseActivity } from "../../domain/intel/activity.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { judge } from "../../domain/verdict/judge.ts"
import { AppError } from "../../errors.ts"

export type ActivityNeeds = Pick<Deps, "resultLists" | "neighbours" | "digests" | "gravatar" | "clock">

/**
 * Signs that somebody uses a mailbox: a picture, the last verification, and what the caller's own account reported.
 * @throws AppError bad_request for a malformed address
 */
export async function findActivity(
  { resultLists, neighbours, digests, gravatar, clock }: ActivityNeeds,
  { email, accountId }: { email: string; accountId: string | null },
): Promise<{ email: string; activity: Activity }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${address.message}`)
  const key = cacheKey(address)
  const [stored, hasGravatar, reported] = await Promise.all([
    resultLists.among([key]),
    gravatar.has(address.normalized),
    accountId === null ? null : neighbours.ownFeedback(accountId, await addressHashes(digests, address)),
  ])
  const result = stored.get(key)
  const verified = result ? { status: judge({ ...result.evidence, address }).status, at: result.verifiedAt } : null
  const { arrivedAt = null, bouncedAt = null } = reported ?? {}
  const { isDisposable } = classifyAddress(address)
  const activity = appraiseActivity({ hasGravatar, verified, arrivedAt, bouncedAt, isDisposable }, clock.now())
  return { email: address.normalized, activity }
}
