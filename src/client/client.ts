import { ConnectionError, MailverdictError } from "./errors.ts"
import type { Operations } from "./operations.ts"
import { pause } from "./pause.ts"
import { type Request, requestFor } from "./request.ts"
import { isHeld, type Outcome, waitBeforeRetry } from "./retry.ts"

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
    const { mayRepeat } = request
    let [retries, throttles, heldMs] = [0, 0, 0]
    for (;;) {
      const response = await attempt(request, signal)
      if (response?.ok) return response
      if (response?.status === 429) throttles++
      const outcome = outcomeOf(response)
      const tries = { retries, throttles, heldMs, maxRetries, mayRepeat, chance: Math.random() }
      const waitMs = waitBeforeRetry(outcome, tries)
      if (waitMs === null) {
        if (response) return response
        throw noAnswer(request, retries + 1)
      }
      if (isHeld(outcome)) heldMs += waitMs
      else retries++
      await pause(waitMs, signal)
    }
  }

  return {
    async call(operation, input, { idempotencyKey, signal } = {}) {
      const { baseUrl, apiKey } = options
      const asked = { input: input as Record<string, unknown>, baseUrl, apiKey, idempotencyKey }
      const request = requestFor(operation, asked)
      const response = await untilAnswered(request, signal)
      const text = await response.text()
      const body = response.ok && request.isText ? text : jsonOf(text)
      if (response.ok && body === undefined)
        throw new ConnectionError(`what answers at ${originOf(request)} is no Mailverdict service`)
      if (response.ok) return body as Answer<typeof operation>
      throw new MailverdictError({
        status: response.status,
        detail: (body as { detail?: unknown } | null | undefined)?.detail,
        requestId: response.headers.get("x-request-id"),
        retryAfterSeconds: retryAfter(response),
      })
    },
  }
}

const originOf = ({ url }: Request) => new URL(url).origin

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function noAnswer(request: Request, tries: number): ConnectionError {
  const origin = originOf(request)
  if (request.mayRepeat) return new ConnectionError(`no answer from ${origin} after ${tries} tries`)
  return new ConnectionError(`no answer from ${origin}; it may have been done all the same: look before you try again`)
}

function outcomeOf(response: Response | null): Outcome {
  if (!response) return { kind: "no_answer" }
  return { kind: "answer", status: response.status, retryAfterSeconds: retryAfter(response) }
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}
