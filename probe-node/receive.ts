import type { IncomingMessage } from "node:http"
import type { Refusal } from "../schema/vocabulary.ts"
import type { TrustedKey } from "../schema/wire/keys.ts"
import { PROBE_LIMITS } from "../schema/wire/probe.ts"
import {
  CLOCK_SKEW_SECONDS,
  isSignedBody,
  MAX_AGE_SECONDS,
  verifyHead,
  type WireRequest,
  WRONG_BODY,
} from "../schema/wire/signature.ts"

export interface ReceiveDeps {
  readonly trustedKeys: readonly TrustedKey[]
  readonly replay: ReplayGuard
  /** Origin that the edge signs. The Host header is not trusted. */
  readonly origin: string
}

/** A request with a valid signature, digest and nonce. */
export interface SignedRequest {
  readonly request: WireRequest
  readonly keyid: string
  readonly nonce: string
}

type Received =
  | ({ ok: true } & SignedRequest)
  | {
      ok: false
      status: number
      /** For the caller, and in words for its operator. */
      code: Refusal
      detail: string
      /** For the log. */
      reason: string
    }

/**
 * Reads a signed request and checks signature, time window, digest and replay. It verifies the headers before it reads
 * the body, because many large unauthenticated bodies would fill the memory. Errors reveal only which side must change.
 */
export async function receiveSigned(
  incoming: IncomingMessage,
  { trustedKeys, replay, origin }: ReceiveDeps,
): Promise<Received> {
  const head = {
    method: incoming.method ?? "GET",
    url: new URL(incoming.url ?? "/", origin).href,
    headers: headersOf(incoming),
  }
  const verified = await verifyHead(head, trustedKeys, Math.floor(Date.now() / 1000))
  if (!verified.ok) return unauthorized(verified.reason)
  const body = await readBody(incoming)
  if (!body)
    return { ok: false, status: 413, code: "refused", detail: "request body is too large", reason: "body_too_large" }
  if (!(await isSignedBody(head.headers, body))) return unauthorized(WRONG_BODY)
  const request: WireRequest = { ...head, body }
  const { keyid, nonce } = verified
  const moment = { nowMs: Date.now(), steadyMs: performance.now() }
  const replayed = replay.check({ keyid, nonce, createdSeconds: createdOf(head.headers) }, moment)
  return replayed === "fresh" ? { ok: true, request, keyid, nonce } : unauthorized(`nonce ${replayed}`)
}

function unauthorized(reason: string): Received {
  return { ok: false, status: 401, code: refusalOf(reason), detail: "request is not signed by a trusted key", reason }
}

/** The words of the signature library, by what they mean. */
const REFUSED_AS: readonly (readonly [RegExp, Refusal])[] = [
  [/^ResolverFailed/, "unknown_key"],
  [/^VerificationFailed/, "wrong_signature"],
  [/expired|in the future/, "clock"],
]

function refusalOf(reason: string): Refusal {
  return REFUSED_AS.find(([pattern]) => pattern.test(reason))?.[1] ?? "refused"
}

/** The whole body, or null when it exceeds the limit of a probe request. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(incoming.headers["content-length"] ?? 0) > PROBE_LIMITS.bodyBytes) return null
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > PROBE_LIMITS.bodyBytes) return null
    parts.push(part)
  }
  return Uint8Array.from(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}

/** Creation time of the verified signature, Unix seconds. 0, which is too old, when it is missing. */
function createdOf(headers: Headers): number {
  const input = headers.get("signature-input") ?? ""
  return Number(/sig1=\([^)]*\)[^,]*?;created=(\d+)/.exec(input)?.[1] ?? 0)
}

/** How long a nonce is stored: as long as its signature could be accepted again. */
const MEMORY_MS = (MAX_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1_000
const MAX_NONCES = 100_000

type ReplayVerdict = "fresh" | "replayed" | "too_old" | "full"

/** The time of a request: Unix ms, and ms of a monotonic clock (`performance.now()`). */
interface Moment {
  readonly nowMs: number
  readonly steadyMs: number
}

/**
 * Refuses a repeated nonce. It fails closed when full. It refuses signatures from before the process start, because a
 * restart clears the stored nonces. Neither check depends on changes of the system clock.
 * @param startedAtMs start of this process, on the monotonic clock
 */
export function createReplayGuard(startedAtMs: number) {
  const seen = new Map<string, number>()

  function dropExpired(steadyMs: number): void {
    for (const [key, seenAt] of seen) {
      if (steadyMs - seenAt <= MEMORY_MS) return
      seen.delete(key)
    }
  }

  return {
    check(
      signature: { keyid: string; nonce: string; createdSeconds: number },
      { nowMs, steadyMs }: Moment,
    ): ReplayVerdict {
      const startedAt = nowMs - (steadyMs - startedAtMs)
      if (signature.createdSeconds < Math.floor(startedAt / 1_000)) return "too_old"
      const key = `${signature.keyid} ${signature.nonce}`
      if (seen.has(key)) return "replayed"
      dropExpired(steadyMs)
      if (seen.size >= MAX_NONCES) return "full"
      seen.set(key, steadyMs)
      return "fresh"
    },
  }
}

type ReplayGuard = ReturnType<typeof createReplayGuard>
