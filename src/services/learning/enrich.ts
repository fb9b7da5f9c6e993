import type { Context } from "../../context.ts"
import { addressHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { snapshotOf } from "../../domain/learning/features.ts"
import { predict } from "../../domain/learning/model.ts"
import { neighborHistory } from "../../domain/learning/samples.ts"
import { assessActivity } from "../../domain/signals/mailbox-activity.ts"
import { type Verification, withPrediction } from "../../domain/verification/verification.ts"

/**
 * Adds the model's prediction, which changes the score, and the activity score. Sends no request outside.
 * @param accountId the account whose reports count, null for a caller without an account
 */
export async function enrich(
  ctx: Context,
  verification: Verification,
  accountId: string | null,
): Promise<Verification> {
  const snapshot = snapshotOf(verification)
  const { evidence, verdict } = verification
  const { address } = evidence
  if (!snapshot || !address.ok) return verification
  const [model, around, own] = await Promise.all([
    ctx.store.models.active("deliverability"),
    ctx.store.observations.neighborhoods([address.domain]),
    accountId === null ? NOTHING_REPORTED : findReports(ctx, { accountId, address }),
  ])
  const itself = verdict.status === "invalid" ? ("missing" as const) : ("known" as const)
  const neighbors = neighborHistory(around.get(address.domain), { pattern: snapshot.pattern, own: itself })
  const prediction = predict(model, snapshot, { ...own, ...neighbors })
  const activity = assessActivity(
    {
      hasGravatar: evidence.gravatar?.found ?? null,
      verified: { status: verdict.status, at: verification.verifiedAt },
      arrivedAt: own.arrivedAt,
      bouncedAt: own.bouncedAt,
      isDisposable: evidence.lists.isDisposable,
    },
    ctx.clock.now(),
  )
  return { ...withPrediction(verification, prediction), activityScore: activity.score }
}

const NOTHING_REPORTED = { arrived: 0, bounced: 0, reported: null, arrivedAt: null, bouncedAt: null } as const

/** One mailing produces several kinds of facts. The most frequent kind approximates the number of mails. */
async function findReports(ctx: Context, { accountId, address }: { accountId: string; address: ValidAddress }) {
  const [counts, own] = await Promise.all([
    ctx.store.feedback.ofDomains(accountId, [address.domain]),
    ctx.store.neighbors.ownFeedback(accountId, await addressHashes(ctx.digests, address)),
  ])
  const countOf = (kind: string) => counts.find((one) => one.kind === kind)?.count ?? 0
  const { arrivedAt = null, bouncedAt = null } = own ?? {}
  const isSilent = arrivedAt === null && bouncedAt === null
  const latest = (arrivedAt ?? 0) >= (bouncedAt ?? 0) ? ("arrived" as const) : ("bounced" as const)
  return {
    arrived: Math.max(countOf("delivered"), countOf("received"), countOf("opened")),
    bounced: countOf("hard_bounce"),
    reported: isSilent ? null : latest,
    arrivedAt,
    bouncedAt,
  }
}
