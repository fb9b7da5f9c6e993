import type { ClaimedEvent } from "../../adapters/store/webhook-deliveries.ts"
import type { Deps } from "../../deps.ts"
import { isGivenUp, nextAttemptAt } from "../../domain/webhooks/schedule.ts"
import { type SecretNeeds, signingSecrets } from "./secrets.ts"

export type DeliverNeeds = SecretNeeds & Pick<Deps, "log" | "webhookDeliveries" | "webhookSender">

/** Longer than an attempt takes; an event whose deliverer died is taken up again after it. */
const LEASE_MS = 60_000
/** Attempts at a time: a Worker waits for the headers of six connections. */
const WIDTH = 6
/** Events looked up at once: whose turn it is, is found by going through all that are due. */
const PAGE = 500
/** A sweep that is waited for starts nothing more after this, so that sweeps do not pile up. */
export const SWEEP_MS = 40_000
/** Work behind a call that has returned may go on for 30 s; an attempt that begins later than this is the next sweep's. */
export const LAST_START_MS = 14_000
/** Sweeps are this far apart. */
const SWEEP_EVERY_MS = 60_000

/** Delivers what is due, one account after the other and several receivers at a time, so that a slow one holds nobody up. */
export async function deliverDue(needs: DeliverNeeds, stopAt = needs.clock.now() + SWEEP_MS): Promise<void> {
  const due = dueInTurn(needs, stopAt)
  const work = async () => {
    for await (const eventId of due) {
      const event = await claim(needs, eventId)
      if (event) await deliverOrLog(needs, event)
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, work))
}

/**
 * What is due until a moment, one after the other however many ask. A sweep begins with the account that the one before
 * certainly reached: else the same receivers that hang could take up every sweep.
 */
async function* dueInTurn({ clock, webhookDeliveries }: DeliverNeeds, stopAt: number): AsyncGenerator<string> {
  const now = clock.now()
  let turn = await webhookDeliveries.turnAt(Math.floor(now / SWEEP_EVERY_MS) * WIDTH, now)
  while (turn !== null) {
    const page = await webhookDeliveries.due(clock.now(), { after: turn, limit: PAGE })
    for (const { eventId } of page) {
      if (clock.now() >= stopAt) return
      yield eventId
    }
    turn = page.at(-1)?.turn ?? null
  }
}

/** What goes wrong with one event holds up no other: it is due again when its lease ends. */
async function deliverOrLog(needs: DeliverNeeds, event: ClaimedEvent): Promise<void> {
  try {
    await deliver(needs, event)
  } catch (error) {
    needs.log("webhook_delivery_failed", { event_id: event.eventId, error: (error as Error).message })
  }
}

/** The first attempt of an event, at once, and the second when it comes soon. Never rejects: the sweep knows the event too. */
export async function deliverNow(needs: DeliverNeeds, eventId: string): Promise<void> {
  const lastStartAt = needs.clock.now() + LAST_START_MS
  try {
    const nextAt = await claimAndDeliver(needs, eventId)
    if (nextAt === null || nextAt > lastStartAt) return
    await needs.clock.sleep(Math.max(0, nextAt - needs.clock.now()))
    await claimAndDeliver(needs, eventId)
  } catch (error) {
    needs.log("webhook_delivery_failed", { event_id: eventId, error: (error as Error).message })
  }
}

async function claimAndDeliver(needs: DeliverNeeds, eventId: string): Promise<number | null> {
  const event = await claim(needs, eventId)
  return event && deliver(needs, event)
}

function claim({ clock, webhookDeliveries }: DeliverNeeds, eventId: string): Promise<ClaimedEvent | null> {
  const now = clock.now()
  return webhookDeliveries.claim({ now, leaseUntil: now + LEASE_MS }, eventId)
}

/** @returns when the event is tried again, Unix ms; null when it came to its end */
async function deliver(needs: DeliverNeeds, event: ClaimedEvent): Promise<number | null> {
  if (!event.isDisabled) return attempt(needs, event)
  await needs.webhookDeliveries.markDisabled(event.eventId)
  return null
}

async function attempt(needs: DeliverNeeds, event: ClaimedEvent): Promise<number | null> {
  const { eventId, url, payload, accountId } = event
  const secrets = accountId === null ? [] : await signingSecrets(needs, accountId)
  const startedAt = needs.clock.now()
  const sent = await needs.webhookSender.send({ eventId, url, body: JSON.stringify(payload), secrets })
  const { outcome, httpStatus, retryAfterMs, durationMs } = sent
  const now = needs.clock.now()
  const logged = { event, outcome, httpStatus, startedAt, durationMs }
  const told = { event_id: eventId, attempt: event.attempts, outcome, status: httpStatus, ms: durationMs }
  needs.log("webhook_attempt", told)
  if (outcome === "delivered") {
    const end = { state: "delivered", dueAt: now, failingSince: null, disablesEndpoint: false } as const
    await needs.webhookDeliveries.finish({ ...logged, ...end })
    return null
  }
  const failingSince = event.failingSince ?? startedAt
  const disablesEndpoint = outcome === "gone" || isGivenUp(failingSince, now)
  const nextAt = disablesEndpoint
    ? null
    : nextAttemptAt({ attempts: event.attempts, now, chance: chance(needs), retryAfterMs })
  const state = disablesEndpoint ? "disabled" : nextAt === null ? "failed" : "pending"
  await needs.webhookDeliveries.finish({ ...logged, state, dueAt: nextAt ?? now, failingSince, disablesEndpoint })
  return nextAt
}

function chance({ randomBytes }: Pick<Deps, "randomBytes">): number {
  return new DataView(randomBytes(4).slice().buffer).getUint32(0) / 2 ** 32
}
