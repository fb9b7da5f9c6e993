import type { EventState } from "../../../schema/vocabulary.ts"
import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type {
  Attempt,
  AttemptEnd,
  ClaimedEvent,
  Delivery,
  DeliveryCursor,
} from "../../adapters/store/webhooks/webhook-deliveries.ts"
import { whenAvailable } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { pageOf } from "../../domain/page.ts"
import { isReceiverDead, nextAttemptAt } from "../../domain/webhooks/schedule.ts"
import { AppError } from "../../errors.ts"
import { signingSecrets } from "./secrets.ts"

/** Longer than an attempt takes, its reads and writes included. After this time another worker retries the event. */
const LEASE_MS = 20_000
/** Concurrent attempts: a Worker has at most six connections that wait for headers. */
const WIDTH = 6
/** Events read at once. The fair order needs a scan over all due events. */
const PAGE = 500
/** An awaited sweep starts no attempt after this time, so that sweeps do not overlap. */
export const SWEEP_MS = 40_000
/** Background work may run for 30 s after the response. A later attempt is left to the next sweep. */
export const LAST_START_MS = 14_000
/** The interval of the sweeps, of which each begins with other accounts. */
const SWEEP_EVERY_MS = 10_000

/** Delivers due events, alternating between accounts. Several run at a time, so a slow receiver delays no other. */
export async function deliverDue(ctx: Context, stopAt = ctx.clock.now() + SWEEP_MS): Promise<void> {
  const due = dueInTurn(ctx, stopAt)
  const work = async () => {
    for await (const eventId of due) {
      const event = await claim(ctx, eventId)
      if (event) await deliverOrLog(ctx, event)
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
}

/**
 * Yields due events until `stopAt`, each to a single worker. A sweep begins with an account that the previous sweep
 * certainly reached. Otherwise the same hanging receivers could block every sweep.
 */
async function* dueInTurn(ctx: Context, stopAt: number): AsyncGenerator<string> {
  const now = ctx.clock.now()
  let turn = await ctx.store.webhookDeliveries.accountAt(Math.floor(now / SWEEP_EVERY_MS) * WIDTH, now)
  while (turn !== null) {
    const page = await ctx.store.webhookDeliveries.due(ctx.clock.now(), { after: turn, limit: PAGE })
    for (const { eventId } of page) {
      if (ctx.clock.now() >= stopAt) return
      yield eventId
    }
    turn = page.at(-1)?.turn ?? null
  }
}

/** An error with one event delays no other. The event is due again when its lease ends. */
async function deliverOrLog(ctx: Context, event: ClaimedEvent): Promise<void> {
  try {
    await deliver(ctx, event)
  } catch (error) {
    ctx.log("webhook_delivery_failed", { event_id: event.eventId, error: (error as Error).message })
  }
}

/** Attempts an event at once and a second time if that is due soon. Never rejects: the sweep retries the event. */
export async function deliverNow(ctx: Context, eventId: string): Promise<void> {
  const lastStartAt = ctx.clock.now() + LAST_START_MS
  try {
    const nextAt = await claimAndDeliver(ctx, eventId)
    if (nextAt === null || nextAt > lastStartAt) return
    await ctx.clock.sleep(Math.max(0, nextAt - ctx.clock.now()))
    await claimAndDeliver(ctx, eventId)
  } catch (error) {
    ctx.log("webhook_delivery_failed", { event_id: eventId, error: (error as Error).message })
  }
}

async function claimAndDeliver(ctx: Context, eventId: string): Promise<number | null> {
  const event = await claim(ctx, eventId)
  return event && deliver(ctx, event)
}

function claim(ctx: Context, eventId: string): Promise<ClaimedEvent | null> {
  const now = ctx.clock.now()
  return ctx.store.webhookDeliveries.claim({ now, leaseUntil: now + LEASE_MS }, eventId)
}

/** Delivers a claimed event. @returns the time of the next attempt (Unix ms), or null */
async function deliver(ctx: Context, event: ClaimedEvent): Promise<number | null> {
  if (!event.isDisabled) return attempt(ctx, event)
  await ctx.store.webhookDeliveries.markDisabled(event.eventId)
  return null
}

async function attempt(ctx: Context, event: ClaimedEvent): Promise<number | null> {
  const { eventId, url, payload, accountId } = event
  const secrets = accountId === null ? [] : await signingSecrets(ctx, accountId)
  const startedAt = ctx.clock.now()
  const sent = await ctx.webhookSender.send({ eventId, url, body: JSON.stringify(payload), secrets })
  const { outcome, httpStatus, retryAfterMs, durationMs } = sent
  const now = ctx.clock.now()
  const fields = { event_id: eventId, attempt: event.attempts, outcome, status: httpStatus, ms: durationMs }
  ctx.log("webhook_attempt", fields)
  // A delivered event that is not recorded would be sent again.
  const finish = (end: Pick<AttemptEnd, "state" | "dueAt" | "failingSince" | "disablesEndpoint">) =>
    whenAvailable(ctx.clock, startedAt + LEASE_MS, () =>
      ctx.store.webhookDeliveries.finish({ event, outcome, httpStatus, startedAt, durationMs, ...end }),
    )
  if (outcome === "delivered") {
    await finish({ state: "delivered", dueAt: now, failingSince: null, disablesEndpoint: false })
    return null
  }
  const failingSince = event.failingSince ?? startedAt
  const disablesEndpoint = outcome === "gone" || isReceiverDead(failingSince, now)
  const nextAt = disablesEndpoint
    ? null
    : nextAttemptAt({ attempts: event.attempts, now, chance: chance(ctx), retryAfterMs })
  const state = disablesEndpoint ? "disabled" : nextAt === null ? "failed" : "pending"
  await finish({ state, dueAt: nextAt ?? now, failingSince, disablesEndpoint })
  return nextAt
}

function chance({ randomBytes }: Pick<Context, "randomBytes">): number {
  return new DataView(randomBytes(4).slice().buffer).getUint32(0) / 2 ** 32
}

/** How long the owner can see deliveries. */
const RETENTION_MS = 30 * 24 * 3_600_000

/** Deletes old deliveries and retries due ones. Runs each minute. @param budgetMs no attempt begins after this time */
export async function sweepWebhooks(ctx: Context, budgetMs = SWEEP_MS): Promise<void> {
  const startedAt = ctx.clock.now()
  try {
    // First, because deliveries use all the remaining time.
    await ctx.store.webhookDeliveries.deleteBefore(startedAt - RETENTION_MS)
  } finally {
    await deliverDue(ctx, startedAt + budgetMs)
  }
}

/** Delivers due events between two sweeps, so that those of a crashed Worker do not wait for a minute. */
export async function resumeDeliveries(ctx: Context): Promise<void> {
  if ((await ctx.store.webhookDeliveries.accountAt(0, ctx.clock.now())) === null) return
  await (ctx.webhookDispatcher?.sweep() ?? deliverDue(ctx))
}

/** Restarts the delivery of an event and enables its receiver again. @throws AppError not_found */
export async function redrive(
  ctx: Context,
  meter: UsageMeter,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<void> {
  await meter.authorize()
  const found = await ctx.store.webhookDeliveries.redrive(eventId, accountId, ctx.clock.now())
  if (!found) throw new AppError("not_found", "there is no such delivery")
  ctx.background(deliverNow(ctx, eventId))
}

export interface DeliveryPage {
  readonly deliveries: readonly (Delivery & { readonly log: readonly Attempt[] })[]
  /** The cursor of the next page, null at the end. */
  readonly next: DeliveryCursor | null
}

interface Input {
  readonly accountId: string
  readonly limit: number
  readonly before: DeliveryCursor | null
  readonly state: EventState | null
  readonly endpointId: string | null
  readonly eventId: string | null
}

/** Lists the account's deliveries with their attempts, newest first. */
export async function listDeliveries(ctx: Context, { accountId, limit, ...only }: Input): Promise<DeliveryPage> {
  const { page, last } = pageOf(await ctx.store.webhookDeliveries.list(accountId, { ...only, limit: limit + 1 }), limit)
  const attempts = await ctx.store.webhookDeliveries.attemptsOf(page.map(({ eventId }) => eventId))
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId)
  const deliveries = page.map((delivery) => ({ ...delivery, log: byEvent.get(delivery.eventId) ?? [] }))
  return { deliveries, next: last }
}
