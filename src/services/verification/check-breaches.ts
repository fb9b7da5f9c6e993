import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { type BreachNeeds, type BreachSearch, findBreaches } from "./find-breaches.ts"

/** Looks an address up in known breaches for an extra credit, paid only for an answer that had to be asked for. */
export async function checkBreaches(
  needs: BreachNeeds & Pick<Deps, "meter">,
  address: ValidAddress,
): Promise<BreachSearch> {
  const charge = await needs.meter.reserve(CREDITS.breach)
  let credits = 0
  try {
    const search = await findBreaches(needs, address)
    if (search.finding && search.answers.some(({ isKept }) => !isKept)) credits = CREDITS.breach
    return search
  } finally {
    await charge.settle(credits)
  }
}
