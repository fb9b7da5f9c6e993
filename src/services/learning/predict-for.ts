import type { Deps } from "../../deps.ts"
import { snapshotOfVerification } from "../../domain/feedback/snapshot.ts"
import type { History } from "../../domain/model/features.ts"
import { predict } from "../../domain/model/model.ts"
import { neighbourHistory } from "../../domain/model/neighbourhood.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import type { Prediction } from "../../domain/verdict/prediction.ts"
import type { Verification } from "../../domain/verdict/verification.ts"

export type PredictNeeds = Pick<Deps, "models" | "observations" | "neighbours" | "feedback" | "digests">

/**
 * What the model makes of a verification, with what the account itself has reported before. Null for a malformed address.
 * @param accountId null for a caller without an account, who has reported nothing
 */
export async function predictFor(
  needs: PredictNeeds,
  verification: Verification,
  accountId: string | null,
): Promise<Prediction | null> {
  const snapshot = snapshotOfVerification(verification)
  const { address } = verification.evidence
  if (!snapshot || !address.ok) return null
  const { domain } = address
  const [model, around, own] = await Promise.all([
    needs.models.active("deliverability"),
    needs.observations.neighbourhoods([domain]),
    accountId === null ? NOTHING_REPORTED : ownReports(needs, { accountId, domain, address }),
  ])
  const isOwn = verification.verdict.status === "invalid" ? ("missing" as const) : ("known" as const)
  const neighbours = neighbourHistory(around.get(domain), { pattern: snapshot.pattern, own: isOwn })
  return predict(model, snapshot, { ...own, ...neighbours })
}

type Own = Pick<History, "arrived" | "bounced" | "reported">
const NOTHING_REPORTED: Own = { arrived: 0, bounced: 0, reported: null }

/** Facts of one mailing come as several kinds: the commonest of them is about as many as there were. */
async function ownReports(
  { feedback, neighbours, digests }: PredictNeeds,
  { accountId, domain, address }: { accountId: string; domain: string; address: { local: string; domain: string } },
): Promise<Own> {
  const [counts, own] = await Promise.all([
    feedback.ofDomains(accountId, [domain]),
    neighbours.ownFeedback(accountId, await addressHashes(digests, address)),
  ])
  const countOf = (kind: string) => counts.find((one) => one.kind === kind)?.count ?? 0
  const { arrivedAt = null, bouncedAt = null } = own ?? {}
  const isSilent = arrivedAt === null && bouncedAt === null
  return {
    arrived: Math.max(countOf("delivered"), countOf("received"), countOf("opened")),
    bounced: countOf("hard_bounce"),
    reported: isSilent ? null : (arrivedAt ?? 0) >= (bouncedAt ?? 0) ? "arrived" : "bounced",
  }
}
