import type { Context } from "../../context.ts"
import { isOver } from "../../domain/lists/job.ts"
import { findJob } from "./find-job.ts"
import { type Forecast, forecast } from "./forecast.ts"

const LOOK_MS = 1_000
/** Proxies close idle connections. Clients reconnect after the end. */
const KEEP_ALIVE_LOOKS = 15
const LOOKS = 600
/** A key that is revoked, or an account that is suspended, gets no more events after 5 s. */
const AUTHORIZE_EVERY_LOOKS = 5

/**
 * Yields the job after each change, for at most ten minutes, and null as a keep-alive every 15 s.
 * @param mayGoOn whether the caller is still authorized
 */
export async function* watchJob(
  ctx: Context,
  which: { jobId: string; accountId: string },
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<Forecast | null> {
  let shown = ""
  let silent = 0
  for (let look = 0; look < LOOKS; look++) {
    if (look % AUTHORIZE_EVERY_LOOKS === AUTHORIZE_EVERY_LOOKS - 1 && !(await mayGoOn())) return
    const job = await findJob(ctx, which)
    const state = `${job.status} ${job.done} ${job.firstPassAt}`
    if (state !== shown || ++silent >= KEEP_ALIVE_LOOKS) {
      yield state === shown ? null : await forecast(ctx, job)
      silent = 0
    }
    shown = state
    if (isOver(job)) return
    await ctx.clock.sleep(LOOK_MS)
  }
}
