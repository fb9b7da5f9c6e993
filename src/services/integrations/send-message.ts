import type { SendProvider } from "../../../schema/vocabulary.ts"
import type { Message } from "../../adapters/integrations/contact-book.ts"
import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { IntegrationEvent } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { type ConnectionNeeds, isSender, openConnection } from "./connection.ts"
import { pickIntegration } from "./find-integration.ts"
import { type EventNeeds, newEvent } from "./note-event.ts"
import { raiseTrouble } from "./raise-trouble.ts"
import { CANNOT_OPEN } from "./test-connection.ts"

type Needs = ConnectionNeeds & EventNeeds & Pick<Deps, "gates">

/** Slack takes one message a second at most. */
const PER_MINUTE = { limit: 60, windowMs: 60_000 } as const

/**
 * Sends a message by one of the account's integrations and writes down how it went.
 * @throws AppError not_found; bad_request when the provider says no; unavailable when it cannot be reached; rate_limited
 */
export async function sendMessage(
  needs: Needs,
  input: { accountId: string; provider: SendProvider; integrationId: string | null; message: Message },
): Promise<IntegrationEvent> {
  const { accountId, message } = input
  const integration = await pickIntegration(needs, input)
  const { integrationId } = integration
  await countOrRefuse(needs.gates.ofAction(`integration:${integrationId}`), PER_MINUTE)
  const connection = await openConnection(needs, integration)
  if (!connection || !isSender(connection)) throw new AppError("bad_request", CANNOT_OPEN)
  const startedAt = needs.clock.now()
  const sent = await needs.connectors.messenger(connection).send(message)
  const { outcome = "ok", httpStatus = null, detail = null } = sent.ok ? {} : sent.trouble
  const about = { integrationId, accountId, kind: "message_sent", startedAt } as const
  const event = newEvent(needs, { ...about, outcome, httpStatus, detail })
  await needs.integrations.note(event)
  return sent.ok ? event : raiseTrouble(sent.trouble)
}
