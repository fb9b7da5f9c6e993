import type { PendingVerification } from "../../adapters/store/pending.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import { NO_STANDING } from "../../domain/suppression/mark.ts"
import { noEvidence, renewed } from "../../domain/verdict/evidence-about.ts"
import { assess, reassess, type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { findStanding } from "../suppression/find-standing.ts"

type Needs = Pick<Deps, "results" | "suppressions" | "digests" | "clock">

/** The verification of a pending one that is complete, judged anew from its evidence; null until then. */
export async function readPending(needs: Needs, pending: PendingVerification): Promise<Verification | null> {
  if (pending.state !== "complete") return null
  const address = parseAddress(pending.email)
  const { accountId } = pending
  const [verification, standing] = await Promise.all([
    judgeAnew(needs, address, pending),
    address.ok ? findStanding(needs, { accountId, address }) : NO_STANDING,
  ])
  return verification && withStanding(verification, standing)
}

async function judgeAnew(
  { results }: Pick<Deps, "results">,
  address: ParsedAddress,
  { evidence, createdAt, completedAt }: PendingVerification,
): Promise<Verification | null> {
  const fresh = { cached: false, verifiedAt: completedAt ?? createdAt }
  if (evidence) return assess(renewed(evidence, address), fresh)
  if (!address.ok) return assess(noEvidence(address), fresh)
  const { result } = await results.latest(cacheKey(address), address.domain)
  return result && reassess(result, address)
}
