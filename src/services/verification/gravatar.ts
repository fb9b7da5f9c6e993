import { withDeadline } from "../../concurrency/with-deadline.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { GravatarEvidence } from "../../domain/verdict/evidence.ts"

const ANSWER_MS = 7 * 24 * 3_600_000
const FAILURE_MS = 60_000

/** Returns whether an address has a Gravatar: a fresh previous answer, else a request within `budgetMs`. */
export async function findGravatar(
  { clock, gravatar }: Pick<Context, "clock" | "gravatar">,
  address: ValidAddress,
  { before, budgetMs }: { before: GravatarEvidence | undefined; budgetMs: number },
): Promise<GravatarEvidence> {
  const now = clock.now()
  if (before && before.checkedAt + (before.found === null ? FAILURE_MS : ANSWER_MS) > now) return before
  const asked = gravatar.has(`${address.local}@${address.domain}`)
  const found = await withDeadline(clock, asked, now + budgetMs)
  return { found, checkedAt: now }
}
