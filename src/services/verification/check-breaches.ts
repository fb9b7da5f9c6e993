import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { charge } from "../accounts/charge.ts"
import { type BreachNeeds, type BreachSearch, findBreaches } from "./find-breaches.ts"

/** Looks an address up in known breaches for an extra credit, paid only for an answer that had to be asked for. */
export function checkBreaches(needs: BreachNeeds & Pick<Deps, "meter">, address: ValidAddress): Promise<BreachSearch> {
  const costOf = ({ finding, answers }: BreachSearch) =>
    finding && answers.some(({ isKept }) => !isKept) ? CREDITS.breach : 0
  return charge(needs, { most: CREDITS.breach, costOf }, () => findBreaches(needs, address))
}
