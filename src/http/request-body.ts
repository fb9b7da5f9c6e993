import type { Context, MiddlewareHandler } from "hono"
import type { BodyKind } from "../adapters/accounts/isolate-limits.ts"
import { withDeadline } from "../concurrency/deadlines.ts"
import { clientNetwork, limitSubjectOf } from "../domain/accounts/caller.ts"
import { AppError, bodyTooLarge } from "../errors.ts"
import { clientIpOf } from "./access.ts"
import type { AppEnv } from "./endpoint.ts"
import { InvalidRequest } from "./errors.ts"

/** The largest body of an endpoint that states no other limit. A larger body is an upload. */
export const MAX_BODY_BYTES = 1_000_000
/** The longest wait for the next bytes, as of nginx's `client_body_timeout` in strict setups (its default is 60 s). */
const PIECE_MS = 10_000
/** The wait for a whole body: 30 s, and a second more for each 20 kB that arrived. A slow mobile line sends 30 kB/s. */
const BODY_MS = 30_000
const BYTES_PER_MS = 20
/** A refused body is read for 5 s, and for 1 s without new bytes. A client that writes then sees the reason. */
const DRAIN_MS = 5_000
const DRAIN_PIECE_MS = 1_000
/** More than the largest body allowed. */
const DRAIN_BYTES = 128_000_000

/** Maps a failed read to a 422, because the client ended the connection. */
function wasAborted(cause: unknown): never {
  throw new InvalidRequest("body", [{ field: [], msg: "the request body ended early", type: "incomplete" }], { cause })
}

/**
 * The body of a request as it arrives. Only the time that the client takes counts, not that of the reader.
 * @throws AppError timeout for a body that stops or is too slow, invalid for one that ends early
 */
export async function* bodyPieces(c: Context<AppEnv>): AsyncGenerator<Uint8Array> {
  const reader = c.req.raw.body?.getReader()
  const { clock } = c.get("ctx")
  let [waitedMs, bytes] = [0, 0]
  try {
    while (reader) {
      const startedAt = clock.now()
      const leftMs = BODY_MS + bytes / BYTES_PER_MS - waitedMs
      const read = await withDeadline(clock, reader.read().catch(wasAborted), startedAt + Math.min(PIECE_MS, leftMs))
      if (read === null) throw tooSlow()
      if (read.done) return
      waitedMs += clock.now() - startedAt
      bytes += read.value.length
      yield read.value
    }
  } finally {
    void reader?.cancel().catch(() => undefined)
  }
}

interface BytesOptions {
  /** The name of the body in an error. */
  readonly what?: string
  /** Whose memory it is, for a call without a caller. By default the network's. */
  readonly subject?: string | undefined
}

/**
 * The bytes of a request. Stops as soon as they exceed the limit. Their memory counts until the request ends.
 * @throws AppError payload_too_large, timeout, invalid; rate_limited or unavailable when too much is in memory
 */
export async function readBytes(
  c: Context<AppEnv>,
  maxBytes: number,
  { what = "the request body", subject }: BytesOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bodyPieces(c)) {
    length += piece.length
    if (length > maxBytes) throw new AppError("payload_too_large", `${what} may have at most ${maxBytes} bytes`)
    reserveMemory(c, piece.length, { kind: maxBytes > MAX_BODY_BYTES ? "uploads" : "bodies", subject })
    pieces.push(piece)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** Refuses a body over the limit, and reads it for the validators unless the handler streams it. */
export function limitBody(maxBytes: number, isStreamed: boolean): MiddlewareHandler<AppEnv> {
  return async function limitBody(c, next) {
    const declaredLength = c.req.header("transfer-encoding") ? undefined : c.req.header("content-length")
    if (Number(declaredLength ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
    if (c.req.raw.body && !isStreamed) {
      const text = new TextDecoder().decode(await readBytes(c, maxBytes))
      // Hono stores a promise here, although the type names its value.
      Object.assign(c.req.bodyCache, { text: Promise.resolve(text) })
    }
    await next()
  }
}

/**
 * Reads the rest of a refused body. Otherwise a client that still writes sees a broken pipe instead of the response
 * with the reason.
 */
export async function drainRefused(c: Context<AppEnv>): Promise<void> {
  const { body, bodyUsed } = c.req.raw
  if (!body || bodyUsed || body.locked) return
  const { clock } = c.get("ctx")
  const endsAt = clock.now() + DRAIN_MS
  const reader = body.getReader()
  let bytes = 0
  while (bytes < DRAIN_BYTES) {
    const reading = reader.read().catch(() => null)
    const read = await withDeadline(clock, reading, Math.min(endsAt, clock.now() + DRAIN_PIECE_MS))
    if (!read?.value) break
    bytes += read.value.byteLength
  }
  void reader.cancel().catch(() => undefined)
}

/** Counts bytes that stay in memory. @throws AppError rate_limited, unavailable */
function reserveMemory(
  c: Context<AppEnv>,
  bytes: number,
  { kind, subject }: { kind: BodyKind; subject: string | undefined },
): void {
  const { bodyMemory, clock } = c.get("ctx")
  const caller = c.get("caller")
  const subjectOf = () => subject ?? (caller ? limitSubjectOf(caller) : clientNetwork(clientIpOf(c)))
  const stored = c.get("storedBody") ?? bodyMemory.open(kind, subjectOf())
  c.set("storedBody", stored)
  const full = bodyMemory.add(stored, bytes, clock.now())
  const again = { retryAfterSeconds: 5 }
  if (full === "subject")
    throw new AppError(
      "rate_limited",
      "this account or network sends too many bodies at once; retry in 5 seconds",
      again,
    )
  if (full === "sum")
    throw new AppError("unavailable", "the service reads too many bodies at once; try again shortly", again)
}

function tooSlow(): AppError {
  return new AppError(
    "timeout",
    `the request body stopped or arrived too slowly; send the next bytes within ${PIECE_MS / 1000} seconds`,
  )
}

/**
 * Refuses other types than JSON before the body is read. A request without a body goes on to the validators.
 * @param options `acceptsText`: JSON may also have the type `text/plain`
 */
export function requireJson({ acceptsText = false } = {}): MiddlewareHandler<AppEnv> {
  return async function requireJson(c, next) {
    const given = c.req.header("content-type")
    if (given === undefined && (c.req.raw.body === null || c.req.header("content-length") === "0")) return next()
    const type = given?.split(";")[0]?.trim().toLowerCase() ?? ""
    const isText = acceptsText && type === "text/plain"
    if (!isText && type !== "application/json" && !/^application\/[\w.-]+\+json$/.test(type))
      throw new AppError(
        "unsupported_media_type",
        `the request body must be application/json${acceptsText ? " or text/plain" : ""}`,
      )
    if (given !== "application/json") c.req.raw = withPlainType(c.req.raw)
    await next()
  }
}

/** Drops the type's parameters. JSON has none (RFC 8259 11), and zod-openapi parses only some of their forms. */
function withPlainType(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set("content-type", "application/json")
  return new Request(request, { headers })
}

/** Refuses compressed bodies by that reason, instead of as malformed JSON (RFC 9110 15.5.16). */
export function refuseCompressed(): MiddlewareHandler<AppEnv> {
  return async function refuseCompressedBody(c, next) {
    const coding = c.req.header("content-encoding")?.trim().toLowerCase() || "identity"
    if (coding !== "identity") {
      c.header("accept-encoding", "identity")
      throw new AppError(
        "unsupported_media_type",
        `send the request body uncompressed, without Content-Encoding: ${coding}`,
      )
    }
    await next()
  }
}
