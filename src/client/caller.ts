import { ConnectionError, MailverdictError } from "./errors.ts"
import type { Operations } from "./operations.ts"
import { checkFields, checkOperation, checkOptions, type Request, requestFor } from "./request.ts"
import { createTimeLimit, isInProgress, type Outcome, pause, type TimeLimit, waitBeforeRetry } from "./retry.ts"

export interface ClientOptions {
  /** Without a key, the service limits calls by IP address. */
  readonly apiKey?: string | undefined
  /** The operator's secret. With it, every call acts as the operator. */
  readonly adminSecret?: string | undefined
  /** @default "http://127.0.0.1:8787" */
  readonly baseUrl?: string | undefined
  /** @default 3 */
  readonly maxRetries?: number | undefined
  /** Timeout of one attempt in ms; of each piece of a stream. A verification can take 30 s. @default 90000 */
  readonly timeoutMs?: number | undefined
  readonly fetch?: typeof fetch | undefined
  /** Called before each wait for a retry. `status` is null when no response arrived. */
  readonly onWait?: ((waitMs: number, status: number | null) => void) | undefined
}

export interface CallOptions {
  /** Identifies the request, so that a retry is never charged twice. Generated for every POST by default. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export type Operation = keyof Operations
export type Input<O extends Operation> = Operations[O]["input"]
export type Answer<O extends Operation> = Operations[O]["answer"]
/** Operations whose response is text, such as CSV. */
export type TextOperation = { [O in Operation]: Answer<O> extends string ? O : never }[Operation]

export type Bytes = Uint8Array<ArrayBuffer>

/** Calls one Mailverdict service. `call` takes any operation of the OpenAPI document by its `operationId`. */
export interface Caller {
  /**
   * @param input a `Blob` is sent as the whole body: a file, or JSON that is too long for a string
   * @throws MailverdictError when the service rejects the request, ConnectionError when no response arrives, TypeError
   * for an unknown operation, field or option
   */
  call<O extends Operation>(operation: O, input: Input<O> | Blob, options?: CallOptions): Promise<Answer<O>>
  /** Streams a text response. @throws as `call`; ConnectionError when the stream is cut off, without a retry */
  stream<O extends TextOperation>(operation: O, input: Input<O>, options?: CallOptions): AsyncGenerator<string, void>
  /** Streams a response as bytes: a workbook, or a CSV with its byte order mark. @throws as `stream` */
  bytes<O extends TextOperation>(operation: O, input: Input<O>, options?: CallOptions): AsyncGenerator<Bytes, void>
}

/** @throws TypeError for an unknown option */
export function createCaller(options: ClientOptions = {}): Caller {
  const known = ["apiKey", "adminSecret", "baseUrl", "maxRetries", "timeoutMs", "fetch", "onWait"] as const
  checkOptions("createClient", options, known satisfies readonly (keyof ClientOptions)[])
  const { maxRetries = 3, timeoutMs = 90_000 } = options
  const send = options.fetch ?? fetch

  async function attempt({ url, init }: Request, { signal, isStreamed }: AttemptOptions): Promise<Attempted> {
    const limit = createTimeLimit(timeoutMs)
    limit.begin()
    try {
      const response = await send(url, {
        ...init,
        // A redirect would take the key to another place.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      if ((isStreamed && response.ok) || isRedirect(response)) return { response, limit }
      // Read the body here: a body that is cut off or never ends counts as a failed attempt.
      const body = await response.text()
      const { status, headers } = response
      return { response: new Response(body === "" ? null : body, { status, headers }), limit }
    } finally {
      limit.end()
    }
  }

  async function sendWithRetries(request: Request, attemptOptions: AttemptOptions): Promise<Attempted> {
    const { mayRepeat } = request
    const { signal } = attemptOptions
    let [retries, throttles, inProgressMs] = [0, 0, 0]
    let failure: unknown = null
    for (;;) {
      const attempted = await attempt(request, attemptOptions).catch((error: unknown) => {
        if (signal?.aborted) throw error
        failure = error
        return null
      })
      if (attempted?.response.ok) return attempted
      const response = attempted?.response ?? null
      if (response?.status === 429) throttles++
      const outcome: Outcome = response
        ? { kind: "answer", status: response.status, retryAfterSeconds: retryAfter(response) }
        : { kind: "no_answer" }
      const attempts = { retries, throttles, inProgressMs, maxRetries, mayRepeat, jitter: Math.random() }
      const waitMs = waitBeforeRetry(outcome, attempts)
      if (waitMs === null) throw await errorOf(request, { response, failure, attempts: retries + 1 })
      if (isInProgress(outcome)) inProgressMs += waitMs
      else retries++
      options.onWait?.(waitMs, response?.status ?? null)
      await pause(waitMs, signal)
    }
  }

  function requestOf(operation: Operation, input: object, callOptions: CallOptions): Request {
    checkOperation(operation)
    checkFields(operation, input)
    checkOptions(`options of ${operation}`, callOptions, ["idempotencyKey", "signal"])
    const { idempotencyKey } = callOptions
    return requestFor(operation, { ...options, input: input as Record<string, unknown>, idempotencyKey })
  }

  async function* bytes(operation: TextOperation, input: object, callOptions: CallOptions = {}) {
    const request = requestOf(operation, input, callOptions)
    const { signal } = callOptions
    const { response, limit } = await sendWithRetries(request, { signal, isStreamed: true })
    const reader = response.body?.getReader()
    try {
      for (;;) {
        // The limit is for each piece: a large file may take longer than an answer.
        limit.begin()
        const chunk = await reader?.read().catch((error: unknown) => {
          if (signal?.aborted) throw error
          throw new ConnectionError(`the response from ${originOf(request)} was cut off${causeOf(error)}`, {
            cause: error,
          })
        })
        limit.end()
        if (!chunk || chunk.done) return
        yield chunk.value
      }
    } finally {
      limit.end()
      await reader?.cancel().catch(() => undefined)
    }
  }

  return {
    async call(operation, input, callOptions = {}) {
      const request = requestOf(operation, input, callOptions)
      const { response } = await sendWithRetries(request, { signal: callOptions.signal, isStreamed: false })
      const text = await response.text()
      const body = request.isText ? text : jsonOf(text)
      if (body === undefined)
        throw new ConnectionError(`the server at ${originOf(request)} is not a Mailverdict service`)
      return body as Answer<typeof operation>
    },

    async *stream(operation, input, options) {
      const decoder = new TextDecoder()
      for await (const piece of bytes(operation, input, options)) yield decoder.decode(piece, { stream: true })
      const rest = decoder.decode()
      if (rest !== "") yield rest
    },

    bytes,
  }
}

interface AttemptOptions {
  readonly signal: AbortSignal | undefined
  /** Whether a successful response is returned before its body is read. */
  readonly isStreamed: boolean
}

interface Attempted {
  readonly response: Response
  /** Ended. For the pieces of a stream. */
  readonly limit: TimeLimit
}

const originOf = ({ url }: Request) => new URL(url).origin

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * @param failed.response of the last attempt; null when it got none
 * @param failed.failure why an attempt got no response; null when each got one
 */
async function errorOf(
  request: Request,
  { response, failure, attempts }: { response: Response | null; failure: unknown; attempts: number },
): Promise<Error> {
  // An attempt without a response may have deleted it.
  const isDeleted = failure !== null && response?.status === 404 && request.init.method === "DELETE"
  if (response && !isDeleted) return refusalOf(request, response)
  const what = `no answer from ${originOf(request)}`
  const advice = "the request may have taken effect: check before you retry"
  const message =
    request.mayRepeat && !isDeleted
      ? `${what} after ${attempts} attempts${causeOf(failure)}`
      : `${what}${causeOf(failure)}; ${advice}`
  return new ConnectionError(message, { cause: failure })
}

/** The cause behind Node's "fetch failed". Without it, a wrong host name or certificate looks like an outage. */
function causeOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string }
  return ` (${message || code})`
}

/** A browser hides a redirect's status and location. */
const isRedirect = ({ type, status, headers }: Response) =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && headers.has("location"))

async function refusalOf(request: Request, response: Response): Promise<MailverdictError> {
  const body = jsonOf(await response.text()) as { detail?: unknown; code?: unknown } | null | undefined
  const location = response.headers.get("location") ?? "another URL"
  return new MailverdictError({
    status: response.status,
    detail: isRedirect(response)
      ? `the server at ${originOf(request)} redirects to ${location}. Use the service's own URL`
      : body?.detail,
    code: body?.code,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: retryAfter(response),
  })
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}

/** Yields pages until the last one. @param read gets the cursor of a page; none for the first one */
export async function* pages<Page extends { readonly next_cursor?: string | null }>(
  read: (place: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | null = null
  do {
    const page: Page = await read(cursor === null ? {} : { cursor })
    yield page
    cursor = page.next_cursor ?? null
  } while (cursor !== null)
}
