import type { Context, MiddlewareHandler } from "hono"
import type { LimitState } from "../adapters/key-limiter/usage-meter.ts"
import { whenAvailable } from "../concurrency/when-available.ts"
import type { Context as ServiceContext } from "../context.ts"
import { accountOf, type Caller, subjectOf } from "../domain/accounts/caller.ts"
import { sha256 } from "../domain/accounts/digest.ts"
import { freeShare } from "../domain/accounts/free-limits.ts"
import { AppError } from "../errors.ts"
import { countFreeWork } from "../services/accounts/count-free-work.ts"
import { namesErased } from "../services/compliance/names-erased.ts"
import type { AppEnv } from "./endpoint.ts"
import { InvalidRequest } from "./invalid-request.ts"

const FORM = /^[\x21-\x7e]{1,255}$/
/** Longer than any request runs. After it the first request counts as lost, and a retry may run. */
const LEASE_MS = 120_000
/** A Worker may run for 30 s after its response. */
const REOPEN_WITHIN_MS = 25_000

/** The header in the OpenAPI document. */
export const IDEMPOTENCY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A key of your choice. For 24 hours, the same request with the same key returns the first answer without a charge. After you erase an address in that answer, the request runs again",
  schema: { type: "string", pattern: FORM.source },
} as const

/**
 * Applies `Idempotency-Key` to requests that cost credits. For 24 hours a retry gets the first answer without a charge,
 * unless the account has erased an address in it. Answers 409 while the first request runs, 422 for another request.
 * Such a request finishes even without its caller: if the platform ended it, its results would be stored unpaid.
 * @param isStreamed the body is not read here, so requests are compared by their length only
 */
export function idempotency({ isStreamed }: { isStreamed: boolean }): MiddlewareHandler<AppEnv> {
  const answer: MiddlewareHandler<AppEnv> = async (c, next) => {
    const given = c.req.header("idempotency-key")
    if (given === undefined) return next()
    if (!FORM.test(given)) throw refused("must be 1 to 255 visible ASCII characters", "string_pattern")
    await countFreeWork(c.get("ctx"), "writes", c.get("caller"))
    const { digests, clock, store: stores } = c.get("ctx")
    const store = stores.idempotency
    const key = await digests.of("idempotency", `${subjectOf(c.get("caller"))}\n${given}`)
    const now = clock.now()
    const claim = await store.claim({ key, hash: await requestHash(c, isStreamed), now, heldUntil: now + LEASE_MS })
    if (claim.kind === "another_request") throw refused("was already used for another request", "idempotency_mismatch")
    if (claim.kind === "running") throw stillRunning()
    let { since } = claim
    if (claim.kind === "answered") {
      const { status, body } = claim.answer
      if (!(await namesErased(c.get("ctx"), { accountId: accountOf(c.get("caller")), json: body, since })))
        return new Response(body, {
          status,
          headers: { "content-type": "application/json", "idempotency-replayed": "true" },
        })
      // The account erased an address in the answer: the request runs again and is charged.
      if (!(await store.restart(key, { since, now, heldUntil: now + LEASE_MS }))) throw stillRunning()
      since = now
    }
    // The charge's name has the time in it, so it does not cover a later use of the same key.
    const meter = c.get("meter").named(`${key}:${since}`)
    c.set("meter", meter)
    await next()
    const maxChars = maxStoredChars(c.get("caller"), meter.state()?.month ?? null)
    try {
      await storeAnswer(c.get("ctx"), { key, response: c.res, maxChars })
    } catch (error) {
      // The request is over: once the database is back, a retry must not wait for the lease.
      c.get("ctx").background(whenAvailable(clock, clock.now() + REOPEN_WITHIN_MS, () => store.reopen(key)))
      throw error
    }
  }
  return function seeThrough(c, next) {
    const answering = answer(c, next)
    c.get("ctx").background(answering.catch(() => undefined))
    return answering
  }
}

/**
 * The longest answer to store. After a longer one a retry runs again, but is charged only once. 0 if no credits were
 * reserved, because a repeat costs nothing.
 */
function maxStoredChars(caller: Caller, month: LimitState["month"]): number {
  if (caller.kind === "admin") return freeShare("answerCharacters", Number.POSITIVE_INFINITY)
  return month ? freeShare("answerCharacters", month.reserved) : 0
}

/** Refusals before any work. A retry or a smaller request may succeed. */
const RETRYABLE_STATUSES: readonly number[] = [401, 402, 403, 408, 409, 429]

/**
 * Stores an answer that a retry would get again, and no refusal that a retry may avoid. After a failure it is unknown
 * what was charged, so the retry has the same charge name: it pays only for what is not yet paid.
 */
async function storeAnswer(
  ctx: ServiceContext,
  { key, response, maxChars }: { key: string; response: Response; maxChars: number },
): Promise<void> {
  if (RETRYABLE_STATUSES.includes(response.status)) return ctx.store.idempotency.release(key)
  if (response.status >= 500) return ctx.store.idempotency.reopen(key)
  if (maxChars === 0) return ctx.store.idempotency.release(key)
  const body = await response.clone().text()
  if (body.length > maxChars) return ctx.store.idempotency.reopen(key)
  await ctx.store.idempotency.storeResponse(key, { status: response.status, body })
}

async function requestHash(c: Context<AppEnv>, isStreamed: boolean): Promise<string> {
  const body = isStreamed ? (c.req.header("content-length") ?? "") : await c.req.text()
  const { pathname, search } = new URL(c.req.url)
  return sha256(`${c.req.method} ${pathname}${search}\n${body}`)
}

function stillRunning(): AppError {
  return new AppError("conflict", "the first request with this Idempotency-Key is still running; retry shortly", {
    retryAfterSeconds: 2,
  })
}

function refused(msg: string, type: string): AppError {
  return new InvalidRequest("header", [{ field: ["idempotency-key"], msg, type }])
}
