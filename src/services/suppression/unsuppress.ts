import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { AppError } from "../../errors.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

type Needs = RefreshNeeds & Pick<Deps, "digests">

/** Takes an address off a list. @throws AppError not_found when it is not on it */
export async function unsuppress(needs: Needs, list: string, address: ValidAddress): Promise<void> {
  const hashes = await addressHashes(needs.digests, address)
  const wasListed = await needs.suppressions.remove(list, hashes, needs.clock.now())
  await refreshMarks(needs, list, hashes)
  if (!wasListed) throw new AppError("not_found", "this address is not on your suppression list")
}
