import type { SyncProvider } from "../../../schema/vocabulary.ts"
import type { ContactBook } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync, Pause } from "../../adapters/store/integrations/integration-syncs.ts"
import { DATABASE_WAIT_MS, whenAvailable, whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { counted } from "../../domain/counted.ts"
import { type ProviderFailure, providerFailure, retryDelayAfter } from "../../domain/integrations/provider.ts"
import { RUN_LEASE } from "../../domain/lease.ts"
import { AppError } from "../../errors.ts"
import { contactBookOf, createEvent, isSender, openConnection } from "./connection.ts"
import { CANNOT_OPEN, pickIntegration } from "./integrations.ts"
import { chargeOf, syncPage } from "./sync-page.ts"

interface StartInput {
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

/** Concurrent syncs, and how long one scheduled run works on them. */
const AT_ONCE = 4
const RUN_MS = 45_000
/** After this time a sync goes to the end of the queue. */
const SLICE_MS = 15_000

/** Runs the due syncs, including those of crashed Workers. Renews their leases together. */
export async function sweepSyncs(ctx: Context): Promise<void> {
  const { clock, store } = ctx
  const until = clock.now() + RUN_MS
  const running = new Set<IntegrationSync>()
  const renew = async () => {
    if (running.size > 0) await store.integrationSyncs.renew([...running], clock.now() + RUN_LEASE.ms)
  }
  await whileRepeating(clock, { everyMs: RUN_LEASE.renewEveryMs, repeat: renew }, () =>
    workUntil(ctx, until, { running }),
  )
}

/** Runs due syncs. The first one starts another worker, so that a sweep without work is one statement. */
async function workUntil(
  ctx: Context,
  until: number,
  { running, workers = AT_ONCE }: { running: Set<IntegrationSync>; workers?: number },
): Promise<void> {
  let others: Promise<void> | null = null
  for (let now = ctx.clock.now(); now < until; now = ctx.clock.now()) {
    const sync = await ctx.store.integrationSyncs.claim({ now, leaseUntil: now + RUN_LEASE.ms })
    if (!sync) break
    running.add(sync)
    if (workers > 1) others ??= workUntil(ctx, until, { running, workers: workers - 1 })
    others?.catch(() => undefined) // `await others` reports it
    await runSync(ctx, sync, Math.min(until, now + SLICE_MS)).finally(() => running.delete(sync))
  }
  await others
}

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
