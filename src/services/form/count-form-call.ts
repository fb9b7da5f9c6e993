import type { Context } from "../../context.ts"
import { clientNetwork } from "../../domain/accounts/caller.ts"
import type { FormPolicy } from "../../domain/accounts/key-restrictions.ts"
import { tooMany } from "../../errors.ts"

interface FormCall {
  readonly keyId: string
  readonly policy: FormPolicy
  /** Undefined when the platform does not report it. All such visitors count as one. */
  readonly clientIp: string | undefined
}

/**
 * Counts a call against its visitor's minute, then against the key's day, both exactly. A refused visitor uses nothing of
 * the budget. @throws AppError rate_limited
 */
export async function countFormCall(
  { digests, keyLimiters }: Pick<Context, "digests" | "keyLimiters">,
  { keyId, policy, clientIp }: FormCall,
): Promise<void> {
  const visitor = await digests.of("network", clientNetwork(clientIp))
  const { perMinute, dailyBudget } = policy
  const counted = await keyLimiters.ofForm(keyId).countFormCall({ visitor, perMinute, dailyBudget })
  if (counted.admitted) return
  const what = counted.limit === "day" ? "the daily budget of this key is used up" : undefined
  throw tooMany(Math.ceil(counted.retryAfterMs / 1000), what)
}
