import { ConnectionError, MailverdictError } from "./errors.ts"
import { OPERATIONS, type Operations } from "./operations.ts"
import { type Outcome, waitBeforeRetry } from "./retry.ts"

export interface ClientOptions {
  /** Without a key calls are limited by IP address. */
  readonly apiKey?: string
  /** @default "http://127.0.0.1:8787" */
  readonly baseUrl?: string
  /** @default 3 */
  readonly maxRetries?: number
  /** How long one try may take, in ms; a verification can take 30 seconds. @default 90000 */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  /** Names the request, so that a retry is never charged twice; made for you where it matters. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type Operation = keyof Operations
export type Input<O extends Operation> = Operations[O]["input"]
export type Answer<O extends Operation> = Operations[O]["answer"]

/** A client of one Mailverdict service. Every operation of its published document can be called by name. */
export interface Client {
  /** @throws MailverdictError when the service refuses, ConnectionError when it does not answer */
  call<O extends Operation>(operation: O, input: Input<O>, options?: CallOptions): Promise<Answer<O>>
}

interface Request {
  readonly url: string
  readonly init: RequestInit
}

export function createClient(options: ClientOptions = {}): Client {
  const { maxRetries = 3, timeoutMs = 90_000 } = options
  const send = options.fetch ?? fetch

  async function attempt({ url, init }: Request, signal: AbortSignal | undefined): Promise<Response | null> {
    const wall = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, wall]) : wall })
      // Read here: a body that breaks off or drips for ever is a failed try as well.
      const body = await response.text()
      return new Response(body === "" ? null : body, { status: response.status, headers: response.headers })
    } catch (error) {
      if (signal?.aborted) throw error
      return null
    }
  }

  async function untilAnswered(request: Request, signal: AbortSignal | undefined): Promise<Response> {
    let throttles = 0
    for (let retries = 0; ; retries++) {
      const response = await attempt(request, signal)
      if (response?.ok) return response
      if (response?.status === 429) throttles++
      const wait = waitBeforeRetry(outcomeOf(response), { retries, throttles, maxRetries, chance: Math.random() })
      if (wait === null) {
        if (response) return response
        throw new ConnectionError(`no answer from ${new URL(request.url).origin} after ${retries + 1} tries`)
      }
      await pause(wait, signal)
    }
  }

  return {
    async call(operation, input, { idempotencyKey, signal } = {}) {
      const request = requestFor(operation, { input: input as Record<string, unknown>, options, idempotencyKey })
      const response = await untilAnswered(request, signal)
      const body = (await response.json().catch(() => null)) as { detail?: unknown } | null
      if (response.ok) return body as Answer<typeof operation>
      throw new MailverdictError({
        status: response.status,
        detail: body?.detail,
        requestId: response.headers.get("x-request-id"),
        retryAfterSeconds: retryAfter(response),
      })
    },
  }
}

interface Asked {
  readonly input: Record<string, unknown>
  readonly options: ClientOptions
  readonly idempotencyKey: string | undefined
}

/** Puts each part of the input where it belongs: path, query for reading, JSON body for the rest. */
function requestFor(operation: Operation, { input, options, idempotencyKey }: Asked): Request {
  const [method, template] = OPERATIONS[operation]
  const rest = { ...input }
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  const url = new URL(path, options.baseUrl ?? "http://127.0.0.1:8787")
  const headers: Record<string, string> = options.apiKey ? { "x-api-key": options.apiKey } : {}
  if (method !== "POST") {
    for (const [name, value] of Object.entries(rest)) if (value !== undefined) url.searchParams.set(name, String(value))
    return { url: url.href, init: { method, headers } }
  }
  headers["content-type"] = "application/json"
  headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID()
  return { url: url.href, init: { method, headers, body: JSON.stringify(rest) } }
}

function outcomeOf(response: Response | null): Outcome {
  if (!response) return { kind: "no_answer" }
  return { kind: "answer", status: response.status, retryAfterSeconds: retryAfter(response) }
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}
