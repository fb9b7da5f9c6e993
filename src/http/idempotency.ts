import type { Context, MiddlewareHandler } from "hono"
import type { LimitState } from "../adapters/keygate/meter.ts"
import type { Deps } from "../deps.ts"
import { type Caller, subjectOf } from "../domain/accounts/caller.ts"
import { sha256 } from "../domain/keys/digest.ts"
import { AppError } from "../errors.ts"
import { countWrite } from "../services/accounts/count-write.ts"
import type { AppEnv } from "./endpoint.ts"
import { brokeOff } from "./raw-body.ts"

const FORM = /^[\x21-\x7e]{1,255}$/
/** Longer than any answer takes; then the first request is taken for dead and a retry may run. */
const HOLD_MS = 120_000
/**
 * Larger answers are not kept: a retry runs again, and its charge is still booked only once. Answers that are paid for
 * may be longer; otherwise a list of malformed texts would be stored for the price of one address.
 */
const KEPT_CHARS = { atLeast: 50_000, forEachCredit: 3_000, atMost: 3_000_000 } as const

/** The header as the published document has it. */
export const IDEMPOTENCY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  description: "Of your choice. The same request with the same key within 24 hours gets the first answer, uncharged",
  schema: { type: "string", pattern: FORM.source },
} as const

/**
 * Honours `Idempotency-Key` on requests that cost credits: a retry gets the first answer, unchanged and uncharged, for 24
 * hours; 409 while the first one runs; 422 when the key comes with another request. With a key or without, such a request
 * is seen through when its caller has gone: ended by the platform it would have stored results and never paid for them.
 * @param isStreamed the body is not read here: such requests are told apart by their length only
 */
export function idempotency({ isStreamed }: { isStreamed: boolean }): MiddlewareHandler<AppEnv> {
  const answer: MiddlewareHandler<AppEnv> = async (c, next) => {
    const given = c.req.header("idempotency-key")
    if (given === undefined) return next()
    if (!FORM.test(given)) throw refused("must be 1 to 255 visible ASCII characters", "string_pattern")
    countWrite(c.get("deps"), c.get("caller"))
    const { digests, clock, idempotency: store, meter } = c.get("deps")
    const key = await digests.of("idempotency", `${subjectOf(c.get("caller"))}\n${given}`)
    const now = clock.now()
    const claim = await store.claim({ key, hash: await requestHash(c, isStreamed), now, heldUntil: now + HOLD_MS })
    if (claim.kind === "another_request") throw refused("was used with another request", "idempotency_mismatch")
    if (claim.kind === "running")
      throw new AppError("conflict", "the first request with this Idempotency-Key is still running; retry shortly", {
        headers: { "retry-after": "2" },
      })
    if (claim.kind === "answered")
      return new Response(claim.answer.body, {
        status: claim.answer.status,
        headers: { "content-type": "application/json", "idempotency-replayed": "true" },
      })
    // With the moment in its name no charge pays for a later use of the same key.
    meter.nameCharges(`${key}:${claim.since}`)
    await next()
    await keepAnswer(c.get("deps"), {
      key,
      response: c.res,
      maxChars: maxKept(c.get("caller"), meter.state()?.month ?? null),
    })
  }
  return function seeThrough(c, next) {
    const answering = answer(c, next)
    c.get("deps").background(answering.catch(() => undefined))
    return answering
  }
}

/** The longest answer that is kept; 0 where nothing was asked of the caller's credits, so that making it again costs nothing. */
function maxKept(caller: Caller, month: LimitState["month"]): number {
  const { atLeast, forEachCredit, atMost } = KEPT_CHARS
  if (caller.kind === "admin") return atMost
  return month ? Math.min(atMost, atLeast + forEachCredit * month.reserved) : 0
}

/** Refusals before any work, which a retry, or a smaller request, may not meet again. */
const PASSING: readonly number[] = [401, 402, 403, 409, 429]

/**
 * Keeps what a retry would get again; what may turn out better next time is not kept. Whether work was done and paid for
 * before a failure is not known, so its retry has the same name: what was paid holds, what came to nothing is made again.
 */
async function keepAnswer(
  { idempotency: store }: Pick<Deps, "idempotency">,
  { key, response, maxChars }: { key: string; response: Response; maxChars: number },
): Promise<void> {
  if (PASSING.includes(response.status)) return store.release(key)
  if (response.status >= 500) return store.reopen(key)
  if (maxChars === 0) return store.release(key)
  const body = await response.clone().text()
  if (body.length > maxChars) return store.reopen(key)
  await store.keep(key, { status: response.status, body })
}

async function requestHash(c: Context<AppEnv>, isStreamed: boolean): Promise<string> {
  const body = isStreamed ? (c.req.header("content-length") ?? "") : await c.req.text().catch(brokeOff)
  const { pathname, search } = new URL(c.req.url)
  return sha256(`${c.req.method} ${pathname}${search}\n${body}`)
}

function refused(msg: string, type: string): AppError {
  return new AppError("invalid", "invalid request", { fields: [{ loc: ["header", "idempotency-key"], msg, type }] })
}
