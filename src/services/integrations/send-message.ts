import type { SendProvider } from "../../../schema/vocabulary.ts"
import type { Message } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationEvent } from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { isSender, openConnection } from "./connection.ts"
import { createEvent } from "./create-event.ts"
import { pickIntegration } from "./find-integration.ts"
import { CANNOT_OPEN } from "./test-connection.ts"
import { throwProviderError } from "./throw-provider-error.ts"

/**
 * Sends a message through one of the account's integrations and records the outcome.
 * @throws AppError not_found, rate_limited, bad_request when the provider refuses, unavailable when it is unreachable
 */
export async function sendMessage(
  ctx: Context,
  input: { accountId: string; provider: SendProvider; integrationId: string | null; message: Message },
): Promise<IntegrationEvent> {
  const { accountId, message } = input
  const integration = await pickIntegration(ctx, input)
  const { integrationId } = integration
  await countFreeWork(ctx, "integrationMessages", integrationId)
  const connection = await openConnection(ctx, integration)
  if (!connection || !isSender(connection)) throw new AppError("bad_request", CANNOT_OPEN)
  const startedAt = ctx.clock.now()
  const sent = await ctx.connectors.messenger(connection).send(message)
  const { outcome = "ok", httpStatus = null, detail = null } = sent.ok ? {} : sent.failure
  const about = { integrationId, accountId, kind: "message_sent", startedAt } as const
  const event = createEvent(ctx, { ...about, outcome, httpStatus, detail })
  await ctx.store.integrations.record(event)
  return sent.ok ? event : throwProviderError(sent.failure)
}
