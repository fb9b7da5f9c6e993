import type { Context } from "../../context.ts"
import { addressHashes, cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { type Activity, assessActivity } from "../../domain/signals/mailbox-activity.ts"
import { reassess } from "../../domain/verification/verification.ts"
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
