import type { Connection } from "../../../schema/wire/integrations.ts"
import { ownUrlOf } from "../../adapters/integrations/own-urls.ts"
import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { Integration } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"
import { readProviderUrl } from "../../domain/integrations/provider-url.ts"
import { AppError } from "../../errors.ts"
import { type ConnectionNeeds, clientOf, sealCredentials } from "./connection.ts"
import { raiseTrouble } from "./raise-trouble.ts"

type Needs = ConnectionNeeds & Pick<Deps, "clock" | "randomToken" | "providerPlaces" | "gates">

const MOST = 50
const CHECKS = { limit: 30, windowMs: 60_000 } as const

/**
 * Connects an account with a provider; the credentials are sealed at once.
 * @throws AppError invalid for a URL elsewhere, conflict; with `verify` bad_request or unavailable as the provider says
 */
export async function createIntegration(
  needs: Needs,
  input: { accountId: string; name: string; connection: Connection; verify: boolean },
): Promise<Integration> {
  const { accountId, name, connection, verify } = input
  refuseForeignUrl(needs, connection)
  if (verify) await countCheck(needs, accountId)
  const integrationId = `int_${needs.randomToken()}`
  // Kept before it is checked: a check may replace the refresh token, and the new one has to go somewhere.
  const integration: Integration = {
    ...{ integrationId, accountId, name },
    ...(await sealCredentials(needs, integrationId, connection)),
    provider: connection.provider,
    settings: connection.settings,
    createdAt: needs.clock.now(),
  }
  if (!(await needs.integrations.add(integration, MOST)))
    throw new AppError("conflict", `an account may have at most ${MOST} integrations`)
  if (!verify) return integration
  const checked = await clientOf(needs, connection, integrationId).check()
  if (checked.ok) return integration
  await needs.integrations.remove(integrationId, accountId)
  return raiseTrouble(checked.trouble)
}

/** Nobody tries stolen tokens by way of us. @throws AppError rate_limited */
export async function countCheck({ gates }: Pick<Deps, "gates">, accountId: string): Promise<void> {
  await countOrRefuse(gates.ofAction(`integration-check:${accountId}`), CHECKS)
}

/** @throws AppError invalid when a URL among the credentials is not the provider's */
export function refuseForeignUrl({ providerPlaces }: Pick<Deps, "providerPlaces">, connection: Connection): void {
  const own = ownUrlOf(connection, providerPlaces)
  const read = own && readProviderUrl(own.url, own.hosts)
  if (!read || read.ok) return
  const field = { loc: ["body", "credentials", own.field], msg: read.problem, type: "custom" }
  throw new AppError("invalid", "invalid request", { fields: [field] })
}
