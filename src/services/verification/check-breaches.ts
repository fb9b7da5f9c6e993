import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { charge } from "../accounts/charge.ts"
import { type BreachNeeds, type BreachSearch, findBreaches } from "./find-breaches.ts"

type Needs = BreachNeeds & Pick<Deps, "meter">

/** Looks an address up in known breaches for an extra credit, paid only for an answer that had to be asked for. */
export async function checkBreaches(needs: Needs, address: ValidAddress): Promise<BreachSearch> {
  const { search } = await checkBreachesBeside(needs, address, async () => null)
  return search
}

/** The same beside other work, which begins when the extra credit is there: where one of them is refused neither costs. */
export function checkBreachesBeside<T>(
  needs: Needs,
  address: ValidAddress,
  work: () => Promise<T>,
): Promise<{ done: T; search: BreachSearch }> {
  const costOf = ({ search: { finding, answers } }: { search: BreachSearch }) =>
    finding && answers.some(({ isKept }) => !isKept) ? CREDITS.breach : 0
  return charge(needs, { most: CREDITS.breach, costOf }, async () => {
    const [done, search] = await Promise.all([work(), findBreaches(needs, address)])
    return { done, search }
  })
}
