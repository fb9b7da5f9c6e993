import type { Context } from "hono"
import { accountOf } from "../domain/accounts/caller.ts"
import { parseAddress } from "../domain/address/parse.ts"
import { shownEmail } from "../domain/address/shown-email.ts"
import { NO_STANDING } from "../domain/suppression/mark.ts"
import { type Verification, withStanding } from "../domain/verdict/verification.ts"
import { keepAnswers } from "../services/accounts/keep-answers.ts"
import { enrich } from "../services/learning/enrich.ts"
import { findStanding } from "../services/suppression/find-standing.ts"
import { checkBreachesBeside } from "../services/verification/check-breaches.ts"
import { type VerifyInput, verify } from "../services/verification/verify.ts"
import type { AppEnv } from "./endpoint.ts"
import { presentChecks } from "./present/checks.ts"

export interface ForCaller {
  readonly breach?: boolean
  readonly suppression?: boolean
  readonly enriched?: boolean
}

/**
 * Verifies for a caller, with the breaches of the address on demand, by what the caller's account knows about the address,
 * and adds the answer to its history. @param suppression false: suppressions are not looked at @param enriched with the
 * model's prediction and the activity of the mailbox
 */
export async function verifyFor(
  c: Context<AppEnv>,
  { breach = false, suppression = true, enriched = false, ...input }: VerifyInput & ForCaller,
): Promise<Verification> {
  const address = parseAddress(input.email)
  const accountId = accountOf(c.var.caller)
  const wallAt = c.var.deps.clock.now() + input.timeoutMs
  const verifying = () => verify(c.var.deps, input)
  const [{ done: neutral, search }, standing] = await Promise.all([
    breach && address.ok
      ? checkBreachesBeside(c.var.deps, address, { work: verifying, wallAt })
      : verifying().then((done) => ({ done, search: null })),
    address.ok ? findStanding(c.var.deps, { accountId, address }) : NO_STANDING,
  ])
  const found = breach ? { ...neutral, breach: search?.finding ?? null } : neutral
  const own = enriched ? await enrich(c.var.deps, found, accountId) : found
  const verification = withStanding(own, suppression ? standing : { ...standing, isSuppressed: false })
  remember(c, [verification])
  return verification
}

/** Adds answers to the history of the account that asked, after they have been sent. Strangers have no history. */
export function remember(c: Context<AppEnv>, verifications: readonly Verification[]): void {
  const { caller, deps } = c.var
  if (caller.kind !== "member") return
  const entries = verifications.map((verification) => {
    const { address } = verification.evidence
    return {
      address: shownEmail(address),
      domain: address.ok ? address.domain : "",
      status: verification.verdict.status,
      score: verification.score.total,
      cached: verification.cached,
      checks: presentChecks(verification),
    }
  })
  deps.background(keepAnswers(deps, caller, { entries, isCounted: Boolean(deps.meter.state()?.month) }))
}
