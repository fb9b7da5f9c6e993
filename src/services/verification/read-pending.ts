import type { PendingVerification } from "../../adapters/store/pending.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"

/** The verification of a pending one that is complete, judged anew from its evidence; null until then. */
export async function readPending(
  { results }: Pick<Deps, "results">,
  { email, state, evidence, createdAt, completedAt }: PendingVerification,
): Promise<Verification | null> {
  if (state !== "complete") return null
  const address = parseAddress(email)
  const lists = classifyAddress(address)
  const fresh = { cached: false, isSuppressed: false, verifiedAt: completedAt ?? createdAt }
  if (evidence) return assess({ ...evidence, address, lists }, fresh)
  if (!address.ok) return assess({ address, lists, domain: null, mailbox: null, probeProblem: null }, fresh)
  const { result } = await results.latest(cacheKey(address), address.domain)
  if (!result) return null
  return assess({ ...result.evidence, address, lists }, { ...fresh, cached: true, verifiedAt: result.verifiedAt })
}
