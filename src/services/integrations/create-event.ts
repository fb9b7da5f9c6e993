import type { IntegrationEvent } from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"

type Given = Pick<IntegrationEvent, "integrationId" | "accountId" | "kind" | "outcome"> &
  Partial<IntegrationEvent> & { readonly startedAt?: number }

/** Creates an entry of an integration's log. */
export function createEvent(
  { clock, randomToken }: Pick<Context, "clock" | "randomToken">,
  { startedAt, ...given }: Given,
): IntegrationEvent {
  const createdAt = clock.now()
  return {
    ...{ syncId: null, httpStatus: null, contacts: 0, detail: null },
    ...given,
    eventId: `iev_${randomToken()}`,
    createdAt,
    durationMs: createdAt - (startedAt ?? createdAt),
  }
}
