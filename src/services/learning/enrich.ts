import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { snapshotOf } from "../../domain/feedback/snapshot.ts"
import { appraiseActivity } from "../../domain/intel/activity.ts"
import { predict } from "../../domain/model/model.ts"
import { neighbourHistory } from "../../domain/model/neighbourhood.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { type Verification, withPrediction } from "../../domain/verdict/verification.ts"

type Needs = Pick<Deps, "models" | "observations" | "neighbours" | "feedback" | "digests" | "clock">

/**
 * A verification with the model's prediction, which moves its score, and whether somebody uses the mailbox. Nothing is
 * looked up outside. @param accountId whose own reports count; null for a caller without an account
 */
export async function enrich(
  needs: Needs,
  verification: Verification,
  accountId: string | null,
): Promise<Verification> {
  const snapshot = snapshotOf(verification)
  const { evidence, verdict } = verification
  const { address } = evidence
  if (!snapshot || !address.ok) return verification
  const [model, around, own] = await Promise.all([
    needs.models.active("deliverability"),
    needs.observations.neighbourhoods([address.domain]),
    accountId === null ? NOTHING_REPORTED : findReports(needs, { accountId, address }),
  ])
  const itself = verdict.status === "invalid" ? ("missing" as const) : ("known" as const)
  const neighbours = neighbourHistory(around.get(address.domain), { pattern: snapshot.pattern, own: itself })
  const prediction = predict(model, snapshot, { ...own, ...neighbours })
  const activity = appraiseActivity(
    {
      hasGravatar: evidence.gravatar?.found ?? null,
      verified: { status: verdict.status, at: verification.verifiedAt },
      arrivedAt: own.arrivedAt,
      bouncedAt: own.bouncedAt,
      isDisposable: evidence.lists.isDisposable,
    },
    needs.clock.now(),
  )
  return { ...withPrediction(verification, prediction), activityScore: activity.score }
}

const NOTHING_REPORTED = { arrived: 0, bounced: 0, reported: null, arrivedAt: null, bouncedAt: null } as const

/** Facts of one mailing come as several kinds: the commonest of them is about as many as there were. */
async function findReports(
  { feedback, neighbours, digests }: Needs,
  { accountId, address }: { accountId: string; address: ValidAddress },
) {
  const [counts, own] = await Promise.all([
    feedback.ofDomains(accountId, [address.domain]),
    neighbours.ownFeedback(accountId, await addressHashes(digests, address)),
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
