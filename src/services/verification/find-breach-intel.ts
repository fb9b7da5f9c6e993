import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"
import { checkBreaches } from "./check-breaches.ts"
import { type BreachNeeds, type BreachSearch, hasBreachSource } from "./find-breaches.ts"

/** What every breach source says about an address. @throws AppError bad_request, and unavailable when there is no source */
export async function findBreachIntel(
  needs: BreachNeeds & Pick<Deps, "meter">,
  { email }: { email: string },
): Promise<BreachSearch & { readonly email: string }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", address.message)
  if (!(await hasBreachSource(needs)))
    throw new AppError(
      "unavailable",
      "no breach source is configured: set HIBP_API_KEY, or import breaches with npm run import:breaches",
    )
  return { ...(await checkBreaches(needs, address)), email: address.normalized }
}
