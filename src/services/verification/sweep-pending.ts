import type { Deps } from "../../deps.ts"
import { type FinishNeeds, finishVerification } from "./finish-verification.ts"

const AT_ONCE = 50
const KEPT_MS = 7 * 24 * 3_600_000

/** Takes up quick verifications whose request died, and forgets old ones and old answers of breach services. */
export async function sweepPending(needs: FinishNeeds & Pick<Deps, "breaches">): Promise<void> {
  const now = needs.clock.now()
  const ids = await needs.pending.abandoned(now, AT_ONCE)
  if (ids.length > 0) needs.log("pending_verifications_taken_up", { count: ids.length })
  await Promise.all(ids.map((id) => finishVerification(needs, id)))
  await needs.pending.forgetBefore(now - KEPT_MS)
  await needs.breaches.forgetAnswers(now)
}
