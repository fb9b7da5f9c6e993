import { tooMany } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"
import type { Caller } from "../../domain/accounts/caller.ts"

/** Writes without a price a minute, for each request the plan allows in it. */
const WRITES_FOR_EACH = 100

/**
 * Counts a call that costs nothing and writes: no request of the minute, as a sender reports each of its messages, but no
 * flood either. @throws AppError rate_limited
 */
export function countWrite({ minuteBook }: Pick<Deps, "minuteBook">, caller: Caller): void {
  if (caller.kind === "admin") return
  const { subject, allowance } = caller
  const limit = WRITES_FOR_EACH * (allowance.perMinute ?? Number.POSITIVE_INFINITY)
  if (!minuteBook.take(`writes:${subject}`, 1, limit)) throw tooMany(60)
}
