import { ConnectionError, MailverdictError } from "./errors.ts"
import type { Operations } from "./operations.ts"
import { pause } from "./pause.ts"
import { type Request, requestFor } from "./request.ts"
import { isHeld, type Outcome, waitBeforeRetry } from "./retry.ts"

export interface ClientOptions {
  /** Without a key calls are limited by IP address. */
  readonly apiKey?: string | undefined
  /** @default "http://127.0.0.1:8787" */
  readonly baseUrl?: string | undefined
  /** @default 3 */
  readonly maxRetries?: number | undefined
  /** How long one try may take, in ms; a verification can take 30 seconds. @default 90000 */
  readonly timeoutMs?: number | undefined
  readonly fetch?: typeof fetch | undefined
  /** Told of each wait before another try: how long it is, and the answer's status, or null where none came. */
  readonly onWait?: ((waitMs: number, status: number | null) => void) | undefined
}

export interface CallOptions {
  /** Names the request, so that a retry is never charged twice; made for you where it matters. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export type Operation = keyof Operations
export type Input<O extends Operation> = Operations[O]["input"]
export type Answer<O extends Operation> = Operations[O]["answer"]
/** What answers with text, such as a CSV. */
export type TextOperation = { [O in Operation]: Answer<O> extends string ? O : never }[Operation]

/** A client of one Mailverdict service. Every operation of its published document can be called by name. */
export interface Client {
  /**
   * @param input a `Blob` is the body as a whole: a file, or JSON such as a list that is too long for strings
   * @throws MailverdictError when the service refuses, ConnectionError when it does not answer
   */
  call<O extends Operation>(operation: O, input: Input<O> | Blob, options?: CallOptions): Promise<Answer<O>>
  /** A text of any length as it comes. @throws as `call`, and ConnectionError when it breaks off: that is not tried again */
  stream<O extends TextOperation>(operation: O, input: Input<O>, options?: CallOptions): AsyncGenerator<string, void>
}

export function createClient(options: ClientOptions = {}): Client {
  const { maxRetries = 3, timeoutMs = 90_000 } = options
  const send = options.fetch ?? fetch

  async function attempt({ url, init }: Request, { signal, isStreamed }: Hearing): Promise<Response> {
    const wall = AbortSignal.timeout(timeoutMs)
    const response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, wall]) : wall })
    if (isStreamed && response.ok) return response
    // Read here: a body that breaks off or drips for ever is a failed try as well.
    const body = await response.text()
    return new Response(body === "" ? null : body, { status: response.status, headers: response.headers })
  }

  async function answerTo(request: Request, hearing: Hearing): Promise<Response> {
    const { mayRepeat } = request
    const { signal } = hearing
    let [retries, throttles, heldMs] = [0, 0, 0]
    for (;;) {
      let failure: unknown
      const response = await attempt(request, hearing).catch((error: unknown) => {
        if (signal?.aborted) throw error
        failure = error
        return null
      })
      if (response?.ok) return response
      if (response?.status === 429) throttles++
      const outcome = outcomeOf(response)
      const tries = { retries, throttles, heldMs, maxRetries, mayRepeat, chance: Math.random() }
      const waitMs = waitBeforeRetry(outcome, tries)
      if (waitMs === null) throw response ? await refusal(response) : noAnswer(request, retries + 1, failure)
      if (isHeld(outcome)) heldMs += waitMs
      else retries++
      options.onWait?.(waitMs, response?.status ?? null)
      await pause(waitMs, signal)
    }
  }

  function requestOf(operation: Operation, input: object, idempotencyKey: string | undefined): Request {
    const { baseUrl, apiKey } = options
    return requestFor(operation, { input: input as Record<string, unknown>, baseUrl, apiKey, idempotencyKey })
  }

  return {
    async call(operation, input, { idempotencyKey, signal } = {}) {
      const request = requestOf(operation, input, idempotencyKey)
      const response = await answerTo(request, { signal, isStreamed: false })
      const text = await response.text()
      const body = request.isText ? text : jsonOf(text)
      if (body === undefined)
        throw new ConnectionError(`what answers at ${originOf(request)} is no Mailverdict service`)
      return body as Answer<typeof operation>
    },

    async *stream(operation, input, { idempotencyKey, signal } = {}) {
      const request = requestOf(operation, input, idempotencyKey)
      const response = await answerTo(request, { signal, isStreamed: true })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      try {
        for (;;) {
          const piece = await reader?.read().catch((error: unknown) => {
            if (signal?.aborted) throw error
            throw new ConnectionError(`the answer of ${originOf(request)} broke off${inBrackets(error)}`, {
              cause: error,
            })
          })
          if (!piece || piece.done) return
          yield piece.value
        }
      } finally {
        await reader?.cancel().catch(() => undefined)
      }
    },
  }
}

interface Hearing {
  readonly signal: AbortSignal | undefined
  /** Whether a good answer is given back before it has been read. */
  readonly isStreamed: boolean
}

const originOf = ({ url }: Request) => new URL(url).origin

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function noAnswer(request: Request, tries: number, cause: unknown): ConnectionError {
  const what = `no answer from ${originOf(request)}`
  if (request.mayRepeat) return new ConnectionError(`${what} after ${tries} tries${inBrackets(cause)}`, { cause })
  const advice = "it may have been done all the same: look before you try again"
  return new ConnectionError(`${what}${inBrackets(cause)}; ${advice}`, { cause })
}

/** What went wrong, which Node keeps behind "fetch failed": without it a wrong name or certificate looks like an outage. */
function inBrackets(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string }
  return ` (${message || code})`
}

async function refusal(response: Response): Promise<MailverdictError> {
  const body = jsonOf(await response.text()) as { detail?: unknown } | null | undefined
  return new MailverdictError({
    status: response.status,
    detail: body?.detail,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: retryAfter(response),
  })
}

function outcomeOf(response: Response | null): Outcome {
  if (!response) return { kind: "no_answer" }
  return { kind: "answer", status: response.status, retryAfterSeconds: retryAfter(response) }
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}
