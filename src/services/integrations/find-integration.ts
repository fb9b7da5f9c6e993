import type { IntegrationProvider } from "../../../schema/vocabulary.ts"
import type { Integration } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "integrations">

/** An integration of the account. @throws AppError not_found, for another account's alike */
export async function findIntegration(
  { integrations }: Needs,
  { integrationId, accountId }: { integrationId: string; accountId: string },
): Promise<Integration> {
  const found = await integrations.find(integrationId, accountId)
  if (!found) throw new AppError("not_found", "there is no such integration")
  return found
}

/**
 * The one that is meant, or the account's only one of that provider.
 * @throws AppError not_found; bad_request when it has to be said which, or it is of another provider
 */
export async function pickIntegration<P extends IntegrationProvider>(
  needs: Needs,
  { integrationId, accountId, provider }: { integrationId: string | null; accountId: string; provider: P },
): Promise<Integration & { provider: P }> {
  const found =
    integrationId === null
      ? await onlyOne(needs, accountId, provider)
      : await findIntegration(needs, { integrationId, accountId })
  if (found.provider !== provider)
    throw new AppError("bad_request", `that integration is one of ${found.provider}, not of ${provider}`)
  return { ...found, provider }
}

async function onlyOne({ integrations }: Needs, accountId: string, provider: IntegrationProvider) {
  const [first, ...others] = await integrations.list(accountId, provider)
  if (!first) throw new AppError("not_found", `there is no integration of ${provider}; make one by POST /integrations`)
  if (others.length > 0)
    throw new AppError("bad_request", `there are several integrations of ${provider}; say which by integration_id`)
  return first
}
