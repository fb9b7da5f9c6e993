import type { Answer, Caller, CallOptions, Input } from "../caller.ts"
import { MailverdictError } from "../errors.ts"

export type Verdict = Answer<"validateByBody">
export type VerifyOptions = Omit<Input<"validateByBody">, "email">
export type StoredVerdict = Answer<"validateFast">
export type StoredOptions = Omit<Input<"validateFast">, "email">

export function createAddresses(caller: Caller) {
  return {
    /**
     * Verifies one address with a live SMTP probe, which takes up to 30 s. `deliverability_score.can_send` is the decision.
     *
     * Cost: one credit, and another with `breach`. A fresh stored result and an `unknown` one are free.
     * @param email a string that is no address gets the status `invalid`, free of charge
     * @throws MailverdictError 402 without credits left, 429 above the rate limit (after the retries)
     */
    verify: (email: string, options?: VerifyOptions, call?: CallOptions) =>
      caller.call("validateByBody", { ...options, email }, call),
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

function nullWhenAbsent(error: unknown): null {
  if (error instanceof MailverdictError && error.status === 404) return null
  throw error
}
