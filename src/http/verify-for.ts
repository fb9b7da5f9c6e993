import type { Context } from "hono"
import type { Verification } from "../domain/verdict/verification.ts"
import { withBreaches } from "../services/verification/check-breaches.ts"
import { type VerifyInput, verify } from "../services/verification/verify.ts"
import type { AppEnv } from "./endpoint.ts"
import { presentChecks } from "./present/checks.ts"
import { shownEmail } from "./present/shown-email.ts"

/** Verifies for a caller, with the breaches of the address on demand, and adds the answer to the caller's history. */
export async function verifyFor(
  c: Context<AppEnv>,
  { breach = false, ...input }: VerifyInput & { breach?: boolean },
): Promise<Verification> {
  const verifying = verify(c.var.deps, input)
  const verification = breach ? await withBreaches(c.var.deps, verifying, input.email) : await verifying
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
  deps.background(deps.history.record(caller.accountId, entries, deps.clock.now()))
}
