import type { Connection } from "../../../schema/wire/integrations.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { type ConnectionNeeds, clientOf, openConnection } from "./connection.ts"
import { countCheck, refuseForeignUrl } from "./create-integration.ts"
import { findIntegration } from "./find-integration.ts"
import { type EventNeeds, newEvent } from "./note-event.ts"
import { raiseTrouble } from "./raise-trouble.ts"

type Needs = ConnectionNeeds & EventNeeds & Pick<Deps, "providerPlaces" | "gates">

export interface Tested {
  readonly provider: Connection["provider"]
  /** Whose the credentials are, as far as the provider says. */
  readonly account: string | null
  readonly elapsedMs: number
}

/**
 * Asks a provider whether credentials open what is needed: those of an integration, or some that nobody keeps.
 * @throws AppError bad_request when the provider says no, unavailable when it cannot say, not_found, invalid, rate_limited
 */
export async function testConnection(
  needs: Needs,
  { accountId, subject }: { accountId: string; subject: { integrationId: string } | { connection: Connection } },
): Promise<Tested> {
  const kept = "integrationId" in subject ? await findIntegration(needs, { ...subject, accountId }) : null
  const connection = "connection" in subject ? subject.connection : kept && (await openConnection(needs, kept))
  if (!connection) throw new AppError("bad_request", CANNOT_OPEN)
  refuseForeignUrl(needs, connection)
  await countCheck(needs, accountId)
  const startedAt = needs.clock.now()
  const checked = await clientOf(needs, connection, kept?.integrationId ?? null).check()
  if (kept) {
    const { outcome = "ok", httpStatus = null, detail = null } = checked.ok ? {} : checked.trouble
    const { integrationId } = kept
    const kind = "connection_tested"
    await needs.integrations.note(
      newEvent(needs, { integrationId, accountId, kind, outcome, httpStatus, detail, startedAt }),
    )
  }
  if (!checked.ok) return raiseTrouble(checked.trouble)
  return { provider: connection.provider, account: checked.value, elapsedMs: needs.clock.now() - startedAt }
}

/** KEY_PEPPER was replaced and the one before is honoured no more. */
export const CANNOT_OPEN = "the kept credentials cannot be opened any more; delete the integration and make it again"
