import { byWall } from "../../adapters/by-wall.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { charge } from "../accounts/charge.ts"
import { type BreachNeeds, type BreachSearch, findBreaches, hasBreachSource } from "./find-breaches.ts"

type Needs = BreachNeeds & Pick<Deps, "meter">

/** Looks an address up in known breaches for an extra credit, paid only for an answer that had to be asked for. */
export function checkBreaches(needs: Needs, address: ValidAddress): Promise<BreachSearch> {
  return charge(needs, { most: CREDITS.breach, costOf }, () => findBreaches(needs, address))
}

interface Beside<T> {
  readonly work: () => Promise<T>
  /** Unix ms; what is not found out by then is null, and kept for whoever asks again. */
  readonly wallAt: number
}

/** The same beside other work, begun once the extra credit is reserved. When either is refused, neither costs. */
export async function checkBreachesBeside<T>(
  needs: Needs,
  address: ValidAddress,
  { work, wallAt }: Beside<T>,
): Promise<{ done: T; search: BreachSearch | null }> {
  const most = (await hasBreachSource(needs)) ? CREDITS.breach : 0
  return charge(needs, { most, costOf: ({ search }) => costOf(search) }, async () => {
    const searching = findBreaches(needs, address)
    const [done, search] = await Promise.all([work(), byWall(needs.clock, searching, wallAt)])
    if (!search) needs.background(searching)
    return { done, search }
  })
}

function costOf(search: BreachSearch | null): number {
  return search?.finding && search.answers.some(({ isKept }) => !isKept) ? CREDITS.breach : 0
}
