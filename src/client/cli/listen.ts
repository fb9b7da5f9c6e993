import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Webhook } from "standardwebhooks"
import type { Client } from "../client.ts"
import type { WebhookDelivery, WebhookEndpoint } from "../resources/webhooks.ts"
import { createPatience, pause } from "../retry.ts"
import type { Cli } from "./cli.ts"
import { readConfig, UsageError, writeConfig } from "./config.ts"
import { paint, print, report, type Style, type Terminal } from "./terminal.ts"

interface ListenOptions {
  readonly forwardTo: string
  readonly events: readonly WebhookEndpoint["events"][number][]
  readonly secret?: string
  /** Seconds between requests. */
  readonly poll: number
}

/** How long the service may be unavailable, as while it is upgraded. */
const PATIENCE_MS = 15 * 60_000
/** The service gives a receiver this time, too. */
const FORWARD_TIMEOUT_MS = 15_000
/** Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32
/** The service accepts a name of at most 200 characters. */
const MAX_NAME = 200

/**
 * `mailverdict webhooks listen`: adds an endpoint that is polled, forwards its events to a local URL with Standard
 * Webhooks headers, and removes the endpoint at the end.
 * Ctrl+C ends it, and so does a reader of stdout that closes the pipe.
 */
export async function listen(cli: Cli, { forwardTo, events, secret, poll }: ListenOptions): Promise<void> {
  const { terminal } = cli
  if (!(/^https?:/i.test(forwardTo) && URL.canParse(forwardTo)))
    throw new UsageError(`--forward-to: ${JSON.stringify(forwardTo)} is not an http or https URL`)
  const signing = webhookOf(secret ?? storedSecret(terminal))
  const client = cli.client()
  const signal = AbortSignal.any([interrupted(), terminal.closed])
  let endpoint: WebhookEndpoint | undefined
  try {
    endpoint = await endpointFor(client, { forwardTo, events, signal })
    const patient = createPatience(PATIENCE_MS)
    // The newest page is enough: it has 50 events, and each request is seconds after the last one.
    const filter = { endpoint_id: endpoint.endpoint_id, state: "delivered" as const }
    const newestPage = async () => (await patient(client.call("listWebhookDeliveries", filter, { signal })))?.deliveries
    const seen = createSeen((await newestPage()) ?? [])
    report(terminal, `Ready. Forwarding to ${forwardTo}. Ctrl+C ends it.`)
    report(terminal, `Endpoint: ${endpoint.endpoint_id} (${endpoint.events.join(", ")})`)
    report(terminal, `Signing secret: ${signing.secret}`)
    for (;;) {
      const page = await newestPage()
      for (const delivery of page ? seen.add(page) : [])
        await forward(cli, delivery, { signing: signing.webhook, forwardTo, signal })
      await pause(poll * 1_000, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (endpoint) {
      await client.webhooks.remove(endpoint.endpoint_id)
      report(terminal, `Endpoint ${endpoint.endpoint_id} is removed.`)
    }
  }
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort())
  return controller.signal
}

/** The endpoint's name is the same at each start, so that a start after a crash finds the endpoint again. */
async function endpointFor(
  client: Client,
  { forwardTo, events, signal }: Pick<ListenOptions, "forwardTo" | "events"> & { readonly signal: AbortSignal },
): Promise<WebhookEndpoint> {
  const url = `poll:${`${hostname()}/${forwardTo}`.replace(/[^\w.:/-]/g, "-").slice(0, MAX_NAME)}`
  const left = (await client.webhooks.list({ signal })).find((one) => one.url === url)
  return left
    ? client.webhooks.update(left.endpoint_id, { events: [...events], paused: false }, { signal })
    : client.webhooks.add({ url, events: [...events], description: "mailverdict webhooks listen" }, { signal })
}

/** Finds deliveries that were not seen before. A redelivery has one more attempt. */
function createSeen(first: readonly WebhookDelivery[]) {
  const nameOf = ({ event_id, attempts }: WebhookDelivery) => `${event_id} ${attempts.length}`
  let names = new Set(first.map(nameOf))
  return {
    /** @returns the new ones, the oldest first */
    add(page: readonly WebhookDelivery[]): WebhookDelivery[] {
      const added = page.filter((delivery) => !names.has(nameOf(delivery))).toReversed()
      names = new Set(page.map(nameOf))
      return added
    },
  }
}

/** Creates a secret at the first start. The receiver's setting then stays right. */
function storedSecret(terminal: Terminal): string {
  const config = readConfig(terminal)
  if (config.webhook_secret !== undefined) return config.webhook_secret
  const webhook_secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
  writeConfig(terminal, { ...config, webhook_secret })
  return webhook_secret
}

function webhookOf(secret: string): { readonly webhook: Webhook; readonly secret: string } {
  try {
    return { webhook: new Webhook(secret), secret }
  } catch {
    throw new UsageError('--secret: must be "whsec_" and base64 text')
  }
}

/** Sends one event as the service would, and prints the local answer. A failure is printed and not retried. */
async function forward(
  { terminal, isJson }: Cli,
  { event_id, type, payload }: WebhookDelivery,
  { signing, forwardTo, signal }: { signing: Webhook; forwardTo: string; signal: AbortSignal },
): Promise<void> {
  const body = JSON.stringify(payload)
  const sentAt = new Date()
  const headers = {
    "content-type": "application/json",
    "webhook-id": event_id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "webhook-signature": signing.sign(event_id, sentAt, body),
  }
  const outcome = await fetch(forwardTo, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
  }).then(
    async (response) => {
      await response.body?.cancel()
      return { status: response.status, error: null }
    },
    (error: Error) => ({ status: null, error: ((error.cause ?? error) as Error).message || "no connection" }),
  )
  if (isJson) {
    print(terminal, JSON.stringify({ event_id, type, payload, http_status: outcome.status, error: outcome.error }))
    return
  }
  const style: Style = outcome.status !== null && outcome.status < 300 ? "green" : "red"
  const answer = paint(terminal, style, outcome.status === null ? `failed: ${outcome.error}` : `[${outcome.status}]`)
  print(terminal, `${sentAt.toLocaleTimeString("en", { hour12: false })}  ${answer}  ${type}  ${event_id}`)
}
