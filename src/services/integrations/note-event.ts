import type { IntegrationEvent } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"

export type EventNeeds = Pick<Deps, "clock" | "randomToken">

type Given = Pick<IntegrationEvent, "integrationId" | "accountId" | "kind" | "outcome"> &
  Partial<IntegrationEvent> & { readonly startedAt?: number }

/** An entry of an integration's log. */
export function newEvent({ clock, randomToken }: EventNeeds, { startedAt, ...given }: Given): IntegrationEvent {
  const createdAt = clock.now()
  return {
    ...{ syncId: null, httpStatus: null, contacts: 0, detail: null },
    ...given,
    eventId: `iev_${randomToken()}`,
    createdAt,
    durationMs: createdAt - (startedAt ?? createdAt),
  }
}
