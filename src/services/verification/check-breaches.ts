import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type BreachNeeds, type BreachSearch, findBreaches } from "./find-breaches.ts"

type Needs = BreachNeeds & Pick<Deps, "meter">

/** Looks an address up in known breaches for an extra credit, paid only for an answer that had to be asked for. */
export async function checkBreaches(needs: Needs, email: string): Promise<BreachSearch> {
  const address = parseAddress(email)
  if (!address.ok) return { answers: [], imported: [], finding: null }
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

/** A verification with the breaches of its address, looked up side by side. */
export async function withBreaches(
  needs: Needs,
  verification: Promise<Verification>,
  email: string,
): Promise<Verification> {
  const [verified, { finding }] = await Promise.all([verification, checkBreaches(needs, email)])
  return { ...verified, breach: finding }
}
