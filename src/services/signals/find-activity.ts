import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/feedback/address-hash.ts"
import { type Activity, assessActivity } from "../../domain/learning/domain-activity.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { explainProblem } from "../../domain/typo/did-you-mean.ts"
import { reassess } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"
import { readStored } from "../verification/known.ts"

/** Collects signs of mailbox use: a picture, the last verification, own reports. @throws AppError bad_request */
export async function findActivity(
  ctx: Context,
  { email, accountId }: { email: string; accountId: string | null },
): Promise<{ email: string; activity: Activity }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const { digests, gravatar, clock } = ctx
  const { neighbors } = ctx.store
  const [stored, hasGravatar, reported] = await Promise.all([
    readStored(ctx, { accountId, addresses: [address] }),
    gravatar.has(address.normalized),
    accountId === null ? null : neighbors.ownFeedback(accountId, await addressHashes(digests, address)),
  ])
  const result = stored.get(cacheKey(address))
  const known = result && reassess(result, address)
  const verified = known ? { status: known.verdict.status, at: known.verifiedAt } : null
  const { arrivedAt = null, bouncedAt = null } = reported ?? {}
  const { isDisposable } = known?.evidence.lists ?? classifyAddress(address)
  const activity = assessActivity({ hasGravatar, verified, arrivedAt, bouncedAt, isDisposable }, clock.now())
  return { email: address.normalized, activity }
}
