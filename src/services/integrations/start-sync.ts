import type { SyncProvider } from "../../../schema/vocabulary.ts"
import type { IntegrationSync } from "../../adapters/store/integration-syncs.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { pickIntegration } from "./find-integration.ts"
import { type EventNeeds, newEvent } from "./note-event.ts"

type Needs = EventNeeds & Pick<Deps, "integrations" | "integrationSyncs">

export interface StartInput {
  readonly caller: Member
  readonly provider: SyncProvider
  /** Null for the account's only one. */
  readonly integrationId: string | null
  /** From the first contact on, although a sync that has stopped could go on. */
  readonly restart: boolean
}

/**
 * Starts a walk through an integration's contacts, or lets one that has stopped go on; the work is the schedule's. One
 * that is under way is left alone. @throws AppError not_found, bad_request, conflict
 */
export async function startSync(needs: Needs, input: StartInput): Promise<IntegrationSync> {
  const { accountId, keyId, tier } = input.caller
  const { integrationId, provider } = await pickIntegration(needs, { ...input, accountId })
  const now = needs.clock.now()
  const syncId = `syn_${needs.randomToken()}`
  const payer = { keyId, tier, now }
  const { sync, isNew } = await needs.integrationSyncs.start({ syncId, integrationId, accountId, provider, ...payer })
  const resumed = isNew
    ? sync
    : await needs.integrationSyncs.resume(sync.syncId, { ...payer, fromStart: input.restart })
  if (!resumed) {
    if (input.restart) throw new AppError("conflict", "the sync is under way; it can be restarted when it has stopped")
    return sync
  }
  const detail = isNew ? null : input.restart ? "from the beginning" : "from where it had stopped"
  const about = { integrationId, accountId, syncId: resumed.syncId }
  await needs.integrations.note(newEvent(needs, { ...about, kind: "sync_started", outcome: "ok", detail }))
  return resumed
}
