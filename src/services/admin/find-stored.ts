import type { FoundResult } from "../../adapters/store/operator.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"

/** The stored result of an address; for an account only if it asked about that address. Null when there is none. */
export async function findStored(
  { operator, erasure, digests }: Pick<Deps, "operator" | "erasure" | "digests">,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<FoundResult | null> {
  const terms = await addressTerms(digests, address)
  const [key] = await erasure.resultsOf({ by: "address", terms, accountId }, 1)
  return key === undefined ? null : operator.result(key)
}
