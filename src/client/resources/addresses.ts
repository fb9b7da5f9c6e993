import type { Answer, Caller, CallOptions, Input } from "../caller.ts"
import { ConnectionError, isTransient, MailverdictError } from "../errors.ts"
import { createTimeLimit } from "../retry.ts"

export type Verdict = Answer<"validateByBody">
export type VerifyOptions = Omit<Input<"validateByBody">, "email">
/** How long a program waits for a result, and what it continues with otherwise. */
export interface FallbackOptions<Fallback> {
  /** Timeout of the whole call with its retries, in ms. Without it, each attempt has the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /** Returned, as it is, when the service gives no result in time. Without it, the call throws. */
  readonly fallback?: Fallback | undefined
}
export type StoredVerdict = Answer<"validateFast">
export type StoredOptions = Omit<Input<"validateFast">, "email">

export function createAddresses(caller: Caller) {
  return {
    /**
     * Verifies one address with a live SMTP probe, which takes up to 30 s. `deliverability_score.can_send` is the decision.
     *
     * Cost: one credit, and another with `breach`. A fresh stored result and an `unknown` one are free.
     * @param email a string that is no address gets the status `invalid`, free of charge
     * @param options `fallback` replaces the error of a timeout, a lost connection, a 5xx and a 429. Other errors are thrown
     * @throws MailverdictError 402 without credits left, 429 above the rate limit (after the retries)
     */
    async verify<Fallback = never>(
      email: string,
      options: VerifyOptions & FallbackOptions<Fallback> = {},
      call?: CallOptions,
    ): Promise<Verdict | Fallback> {
      const { timeoutMs, fallback, ...fields } = options
      try {
        return await withTimeout(timeoutMs, call, (limited) =>
          caller.call("validateByBody", { ...fields, email }, limited),
        )
      } catch (error) {
        if (fallback === undefined || call?.signal?.aborted || !isTransient(error)) throw error
        return fallback
      }
    },
    /**
     * Reads the stored result of an address in a few milliseconds, without a probe. Cost: none.
     * @returns null when no fresh result is stored: then call `verify`. `max_age_hours` says how old it may be
     * @throws MailverdictError 422 for an invalid option, 429 above the rate limit
     */
    verifyFast: (email: string, options?: StoredOptions, call?: CallOptions) =>
      caller.call("validateFast", { ...options, email }, call).catch(nullWhenAbsent),
    /**
     * Finds a person's address at a company, from names, the company's domain and its known formats.
     *
     * Cost: 5 credits when `outcome` is `verified` or `likely`, otherwise none.
     * @throws MailverdictError 400 for a mailbox provider such as gmail.com, 402 without credits left
     */
    find: (person: Input<"findEmailV2">, call?: CallOptions) => caller.call("findEmailV2", person, call),
    /**
     * Reads what is known of a domain: its operator, mail hosts, records and catch-all result. Needs no key. Cost: none.
     * @param domain a domain, or a URL or an address of it
     * @throws MailverdictError 400 for a string without a domain
     */
    domain: (domain: string, call?: CallOptions) => caller.call("domainIntel", { domain }, call),
  }
}

export type Addresses = ReturnType<typeof createAddresses>

/** @throws ConnectionError after `timeoutMs`, unless the caller's own signal aborts first */
async function withTimeout(
  timeoutMs: number | undefined,
  call: CallOptions | undefined,
  run: (call: CallOptions | undefined) => Promise<Verdict>,
): Promise<Verdict> {
  if (timeoutMs === undefined) return run(call)
  const limit = createTimeLimit(timeoutMs)
  const signal = call?.signal ? AbortSignal.any([call.signal, limit.signal]) : limit.signal
  limit.begin()
  try {
    return await run({ ...call, signal })
  } catch (error) {
    if (call?.signal?.aborted || !limit.signal.aborted) throw error
    throw new ConnectionError(`no answer within ${timeoutMs} ms`, { cause: error })
  } finally {
    limit.end()
  }
}

function nullWhenAbsent(error: unknown): null {
  if (error instanceof MailverdictError && error.status === 404) return null
  throw error
}
