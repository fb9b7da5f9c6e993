import type { ContactBook } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync, Pause } from "../../adapters/store/integrations/integration-syncs.ts"
import { DATABASE_WAIT_MS, whenAvailable } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { counted } from "../../domain/counted.ts"
import { type ProviderFailure, providerFailure, retryDelayAfter } from "../../domain/integrations/provider.ts"
import { contactBookOf, isSender, openConnection } from "./connection.ts"
import { createEvent } from "./create-event.ts"
import { chargeOf } from "./page-charge.ts"
import { syncPage } from "./sync-page.ts"
import { CANNOT_OPEN } from "./test-connection.ts"

/** Runs a claimed sync page by page until it is complete or its time is over. Never throws. @param until Unix ms */
export async function runSync(ctx: Context, claimed: IntegrationSync, until: number): Promise<void> {
  let sync = claimed
  try {
    const book = await openBook(ctx, sync)
    if (!book) return
    const prepared = sync.cursor === null ? await book.prepare() : null
    if (prepared?.ok === false) return await onFailure(ctx, sync, prepared.failure)
    do {
      const page = { sync, book }
      const end = await whenAvailable(ctx.clock, ctx.clock.now() + DATABASE_WAIT_MS, () => syncPage(ctx, page))
      if (end.kind === "lost") return
      if (end.kind === "failure") return await onFailure(ctx, sync, end.failure)
      if (end.kind === "out_of_credits") return await stopWithoutCredits(ctx, sync, end.needed)
      sync = end.sync
      if (sync.state === "complete") return
    } while (ctx.clock.now() < until)
    await pause(ctx, sync, { state: "running", detail: null, failures: 0, dueAt: ctx.clock.now() })
  } catch (error) {
    ctx.log("sync_failed", { sync: sync.syncId, error: (error as Error).message })
    await onFailure(ctx, sync, INTERNAL_ERROR).catch(() => undefined)
  }
}

/** Errors of this service are temporary. */
const { failure: INTERNAL_ERROR } = providerFailure({ outcome: "unreachable", detail: "an internal error" })

/** Opens the contacts, null when there is nothing left to sync. */
async function openBook(ctx: Context, sync: IntegrationSync): Promise<ContactBook | null> {
  const integration = await ctx.store.integrations.find(sync.integrationId, sync.accountId)
  // The integration was deleted while the sync started, so only this ends the sync.
  if (!integration) {
    await pause(ctx, sync, { state: "failed", detail: "the integration was deleted", failures: 0, dueAt: 0 })
    return null
  }
  const connection = await openConnection(ctx, integration)
  if (connection && !isSender(connection))
    return contactBookOf(ctx, connection, { integrationId: integration.integrationId })
  await onFailure(ctx, sync, providerFailure({ outcome: "unauthorized", detail: CANNOT_OPEN }).failure)
  return null
}

async function onFailure(ctx: Context, sync: IntegrationSync, failure: ProviderFailure): Promise<void> {
  const failures = sync.failures + 1
  const wait = retryDelayAfter(failure, failures)
  const { outcome, httpStatus, detail } = failure
  const dueAt = ctx.clock.now() + (wait ?? 0)
  const isPaused = await pause(ctx, sync, { state: wait === null ? "failed" : "waiting", detail, failures, dueAt })
  if (!isPaused) return
  if (wait === null) await ctx.store.charges.settle(chargeOf(sync), 0)
  await record(ctx, sync, { kind: wait === null ? "sync_stopped" : "page_synced", outcome, httpStatus, detail })
}

async function stopWithoutCredits(ctx: Context, sync: IntegrationSync, needed: number): Promise<void> {
  const detail = `the next page needs ${counted(needed, "credit")}; add credits and start the sync again, and it continues from here`
  const stop = { state: "out_of_credits", detail, failures: 0, dueAt: ctx.clock.now() } as const
  if (await pause(ctx, sync, stop)) await record(ctx, sync, { kind: "sync_stopped", outcome: "out_of_credits", detail })
}

function pause(ctx: Context, sync: IntegrationSync, how: Pause): Promise<boolean> {
  return ctx.store.integrationSyncs.pause(sync, { ...how, now: ctx.clock.now() })
}

async function record(
  ctx: Context,
  { integrationId, accountId, syncId }: IntegrationSync,
  about: Omit<Parameters<typeof createEvent>[1], "integrationId" | "accountId">,
): Promise<void> {
  await ctx.store.integrations.record(createEvent(ctx, { integrationId, accountId, syncId, ...about }))
}
