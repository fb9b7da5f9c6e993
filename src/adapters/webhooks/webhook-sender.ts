import { Webhook } from "standardwebhooks"
import type { AttemptOutcome } from "../../../schema/vocabulary.ts"
import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import { outcomeOf } from "../../domain/webhooks/schedule.ts"
import { isExempt, isPolledUrl, readTargetUrl, type TargetRules } from "../../domain/webhooks/target-url.ts"
import type { Dns } from "../dns/resolver.ts"
import { retryAfterMs } from "../external-calls.ts"
import type { OutboundFetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

export interface WebhookMessage {
  readonly eventId: string
  readonly url: string
  /** Identical bytes in every attempt. */
  readonly body: string
  /** Signing secrets, each "whsec_…". A receiver accepts any of the signatures. Without a secret nothing is signed. */
  readonly secrets: readonly string[]
}

interface SendResult {
  readonly outcome: AttemptOutcome
  /** Null without a response. */
  readonly httpStatus: number | null
  readonly retryAfterMs: number | null
  readonly durationMs: number
}

export type WebhookSender = ReturnType<typeof createWebhookSender>

interface SenderDeps extends OutboundFetch {
  readonly dns: Dns
  readonly clock: Pick<Clock, "now">
  readonly rules: TargetRules
  readonly userAgent: string
}

const TIMEOUT_MS = 15_000
/** Statuses whose Retry-After counts. */
const WAIT_STATUSES = [429, 503]

type Sent = Pick<SendResult, "outcome"> & Partial<SendResult>

export function createWebhookSender(deps: SenderDeps) {
  const { dns, fetch, fetchPublic, clock, rules, userAgent } = deps

  /** Null when the name resolves only to public addresses. Checked at each attempt, because DNS records change. */
  async function findObstacle(url: string): Promise<Sent | null> {
    const target = readTargetUrl(url, rules)
    if (!target.ok) return { outcome: "blocked" }
    const parsed = new URL(target.url)
    if (isExempt(parsed, rules)) return null
    const answers = await Promise.all([dns.resolve(parsed.hostname, "A"), dns.resolve(parsed.hostname, "AAAA")])
    const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
    if (addresses.length === 0 || answers.some(({ kind }) => kind === "failure")) return { outcome: "unreachable" }
    return addresses.every(isPublicAddress) ? null : { outcome: "blocked" }
  }

  async function post({ eventId, url, body, secrets }: WebhookMessage): Promise<Sent> {
    const now = clock.now()
    const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, new Date(now), body))
    const send = isExempt(new URL(url), rules) ? fetch : fetchPublic
    const response = await send(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        "webhook-id": eventId,
        "webhook-timestamp": String(Math.floor(now / 1_000)),
        ...(signatures.length > 0 ? { "webhook-signature": signatures.join(" ") } : {}),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status, headers } = response
    await response.body?.cancel().catch(() => undefined)
    const waitMs = WAIT_STATUSES.includes(status) ? retryAfterMs(headers, now) : undefined
    return { outcome: outcomeOf(status), httpStatus: status, retryAfterMs: waitMs ?? null }
  }

  return {
    /** Whether the URL, or an address of its host, is not public. A host without an address is not blocked. */
    isBlocked: async (url: string): Promise<boolean> => (await findObstacle(url))?.outcome === "blocked",

    /** Makes one attempt, for a polled URL without a request. Never rejects, follows no redirect, and reads only the status and headers. */
    async send(message: WebhookMessage): Promise<SendResult> {
      const startedAt = clock.now()
      if (isPolledUrl(message.url)) return { outcome: "delivered", httpStatus: null, retryAfterMs: null, durationMs: 0 }
      const sent = await findObstacle(message.url)
        .then((obstacle) => obstacle ?? post(message))
        .catch((error: Error): Sent => ({ outcome: error.name === "TimeoutError" ? "timeout" : "unreachable" }))
      return { httpStatus: null, retryAfterMs: null, ...sent, durationMs: clock.now() - startedAt }
    },
  }
}

/**
 * Delivers webhooks in separate calls. A receiver may take 15 s without answering.
 * Inside a queue batch or a cron run that time would delay the next run and all jobs.
 */
export interface WebhookDispatcher {
  /** Starts the first attempt of an event without waiting for its result. */
  deliver(eventId: string): Promise<void>
  /** Starts due deliveries without waiting for their results. */
  sweep(): Promise<void>
}
