import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { chargeOf } from "./page-charge.ts"

type Needs = Pick<Deps, "integrations" | "integrationSyncs" | "charges">

/** Removes an integration with its credentials, its syncs and its log. @throws AppError not_found */
export async function deleteIntegration(
  needs: Needs,
  { integrationId, accountId }: { integrationId: string; accountId: string },
): Promise<void> {
  const own = await needs.integrations.find(integrationId, accountId)
  const open = own && (await needs.integrationSyncs.openOf(integrationId))
  if (!(await needs.integrations.remove(integrationId, accountId)))
    throw new AppError("not_found", "there is no such integration")
  if (open) await needs.charges.settle(chargeOf(open), 0)
}
