import type { SyncProvider } from "../../../schema/vocabulary.ts"
import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { createEvent } from "./create-event.ts"
import { pickIntegration } from "./find-integration.ts"

export interface StartInput {
  readonly caller: Member
  readonly provider: SyncProvider
  /** Null for the account's only one of that provider. */
  readonly integrationId: string | null
  /** Begins at the first contact, even if a stopped sync could continue. */
  readonly restart: boolean
}

/**
 * Starts a sync of an integration's contacts, or continues a stopped one. The schedule does the work. A running sync is
 * not changed. @throws AppError not_found, bad_request, conflict
 */
export async function startSync(ctx: Context, input: StartInput): Promise<IntegrationSync> {
  const { accountId, keyId, tier } = input.caller
  const { integrationId, provider } = await pickIntegration(ctx, { ...input, accountId })
  const now = ctx.clock.now()
  const syncId = `syn_${ctx.randomToken()}`
  const payer = { keyId, tier, now }
  const { sync, isNew } = await ctx.store.integrationSyncs.start({
    syncId,
    integrationId,
    accountId,
    provider,
    ...payer,
  })
  const resumed = isNew
    ? sync
    : await ctx.store.integrationSyncs.resume(sync.syncId, { ...payer, fromStart: input.restart })
  if (!resumed) {
    if (input.restart) throw new AppError("conflict", "the sync is running; restart it after it has stopped")
    return sync
  }
  const detail = isNew ? null : input.restart ? "from the beginning" : "from where it stopped"
  const about = { integrationId, accountId, syncId: resumed.syncId }
  await ctx.store.integrations.record(createEvent(ctx, { ...about, kind: "sync_started", outcome: "ok", detail }))
  return resumed
}
