import type { Context, MiddlewareHandler } from "hono"
import type { LimitState } from "../adapters/accounts/usage-meter.ts"
import { whenAvailable } from "../concurrency/repeat.ts"
import type { Context as ServiceContext } from "../context.ts"
import { accountOf, type Caller, subjectOf } from "../domain/accounts/caller.ts"
import { sha256 } from "../domain/accounts/crypto.ts"
import { freeShare } from "../domain/accounts/rate-limits.ts"
import { addressHashes, domainHashes } from "../domain/address/address-forms.ts"
import { addressesIn } from "../domain/compliance/data-subject.ts"
import type { ErrorCode } from "../error-codes.ts"
import { AppError } from "../errors.ts"
import { countFreeWork } from "../services/accounts/count-free-work.ts"
import type { AppEnv, BodyRules } from "./endpoint.ts"
import { type CodeOfInvalid, InvalidRequest } from "./errors.ts"
import { helpLink } from "./response-headers.ts"

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
    "A key of your choice. For 24 hours, the same request with the same key returns the first answer without a charge, and another request is 422. Files and lists are compared by their content. After you erase an address in that answer, the request runs again",
  schema: { type: "string", pattern: FORM.source },
} as const

/**
 * Applies `Idempotency-Key` to requests that cost credits. For 24 hours a retry gets the first answer without a charge,
 * unless the account has erased an address in it. Answers 409 while the first request runs, 422 for another request.
 * Such a request finishes even without its caller: if the platform ended it, its results would be stored unpaid.
 * @param contentOf reads the content of a streamed body. Without it the body is in memory and is compared here
 */
export function idempotency(contentOf?: BodyRules["contentOf"]): MiddlewareHandler<AppEnv> {
  const answer: MiddlewareHandler<AppEnv> = async (c, next) => {
    const given = c.req.header("idempotency-key")
    if (given === undefined) return next()
    if (!FORM.test(given)) throw refused("must be 1 to 255 visible ASCII characters", "string_pattern")
    await countFreeWork(c.get("ctx"), "writes", c.get("caller"))
    const { digests, clock, store: stores } = c.get("ctx")
    const store = stores.idempotency
    const key = await digests.of("idempotency", `${subjectOf(c.get("caller"))}\n${given}`)
    let isOurs = false
    async function claim(hash: string): Promise<Response | null> {
      const first = await claimKey(c, key, hash)
      isOurs = first === null
      return first
    }
    const first = contentOf ? await firstOfContent(c, key, contentOf) : await claim(await bodyHash(c))
    if (first) return first
    if (contentOf) c.set("claimContent", async (content) => claim(await contentHash(c, content)))
    await next()
    if (!isOurs) return
    const maxChars = maxStoredChars(c.get("caller"), c.get("meter").state()?.month ?? null)
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
 * Claims the key for this request, whose charges get its name.
 * @returns the first answer instead, if the account may still read it
 * @throws AppError conflict, invalid
 */
async function claimKey(c: Context<AppEnv>, key: string, hash: string): Promise<Response | null> {
  const { clock, store: stores } = c.get("ctx")
  const store = stores.idempotency
  const now = clock.now()
  const claim = await store.claim({ key, hash, now, heldUntil: now + LEASE_MS })
  if (claim.kind === "another_request") throw anotherRequest()
  if (claim.kind === "running") throw stillRunning()
  let { since } = claim
  if (claim.kind === "answered") {
    if (!(await isErased(c, claim))) return replay(claim.answer)
    // The account erased an address in the answer: the request runs again and is charged.
    if (!(await store.restart(key, { since, now, heldUntil: now + LEASE_MS }))) throw stillRunning()
    since = now
  }
  // The charge's name has the time in it, so it does not cover a later use of the same key.
  c.set("meter", c.get("meter").named(`${key}:${since}`))
  return null
}

/**
 * The first answer to a request with a streamed body. When an earlier request has the key, the body is only compared:
 * nothing is stored and no limit of a new list applies.
 * @returns null when the request may claim the key
 * @throws AppError conflict, invalid
 */
async function firstOfContent(
  c: Context<AppEnv>,
  key: string,
  contentOf: NonNullable<BodyRules["contentOf"]>,
): Promise<Response | null> {
  const { clock, store } = c.get("ctx")
  const before = await store.idempotency.find(key, clock.now())
  if (!before || (before.answered && (await isErased(c, before.answered)))) return null
  const hash = await contentHash(c, await contentOf(c))
  if (hash !== before.hash) throw anotherRequest()
  // The first request may have ended while the body arrived.
  const { answered } = before.answered ? before : ((await store.idempotency.find(key, clock.now())) ?? before)
  if (!answered) throw stillRunning()
  return replay(answered.answer)
}

function isErased(c: Context<AppEnv>, { answer, since }: { answer: { body: string }; since: number }) {
  return namesErased(c.get("ctx"), { accountId: accountOf(c.get("caller")), json: answer.body, since })
}

function replay({ status, body }: { status: number; body: string }): Response {
  const headers = new Headers({ "content-type": "application/json", "idempotency-replayed": "true" })
  if (status >= 400) headers.set("link", helpLink((JSON.parse(body) as { code?: ErrorCode }).code))
  return new Response(body, { status, headers })
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

async function bodyHash(c: Context<AppEnv>): Promise<string> {
  const { pathname, search } = new URL(c.req.url)
  return sha256(`${c.req.method} ${pathname}${search}\n${await c.req.text()}`)
}

/** The content has the options of the query, because a form may hold them as well. */
function contentHash(c: Context<AppEnv>, content: string): Promise<string> {
  return sha256(`${c.req.method} ${new URL(c.req.url).pathname}\n${content}`)
}

function anotherRequest(): AppError {
  return refused("was already used for another request", "idempotency_mismatch", "idempotency_key_reused")
}

function stillRunning(): AppError {
  return new AppError(
    "idempotency_in_progress",
    "the first request with this Idempotency-Key is still running; retry shortly",
    {
      retryAfterSeconds: 2,
    },
  )
}

function refused(msg: string, type: string, code: CodeOfInvalid = "invalid_request"): AppError {
  return new InvalidRequest("header", [{ field: ["idempotency-key"], msg, type }], { code })
}

/**
 * Returns whether an answer names an address that its account erased after the answer was given. @param json the
 * answer's body @param since when the answer was given (Unix ms)
 */
async function namesErased(
  ctx: ServiceContext,
  { accountId, json, since }: { accountId: string | null; json: string; since: number },
): Promise<boolean> {
  const erased = accountId === null ? new Set() : await ctx.store.accountErasures.since(accountId, since)
  if (erased.size === 0) return false
  const hashes = await Promise.all(
    addressesIn(JSON.parse(json)).flatMap((address) => [
      addressHashes(ctx.digests, address),
      domainHashes(ctx.digests, address.domain),
    ]),
  )
  return hashes.flat().some((hash) => erased.has(hash))
}
