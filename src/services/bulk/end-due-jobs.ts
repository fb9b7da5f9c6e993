import type { PassedItem } from "../../adapters/store/lists/finish-items.ts"
import type { OpenItem } from "../../adapters/store/lists/job-chunks.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { noEvidence } from "../../domain/verification/evidence.ts"
import { assess } from "../../domain/verification/verification.ts"
import { finishJob } from "./finish-job.ts"

/** Rows searched by one statement, and items finished by one. */
const ROWS_AT_ONCE = 10_000
const ITEMS_AT_ONCE = 1_000
/** A sweep ends jobs for this long. The next one continues with the rest of a long list. */
const SWEEP_MS = 8_000

/** Ends the jobs whose `finish_within` is over. Their pending addresses become `unknown`, free of charge. Repeatable. */
export async function endDueJobs(ctx: Context): Promise<void> {
  const { clock, store } = ctx
  const stopAt = clock.now() + SWEEP_MS
  for (const { jobId, submitted } of await store.jobLimits.due(clock.now())) {
    await store.jobLimits.stop(jobId, clock.now())
    for (let from = 0; from < submitted; from += ROWS_AT_ONCE) {
      if (clock.now() >= stopAt) return
      const open = await store.jobLimits.open(jobId, { from, count: ROWS_AT_ONCE })
      for (let at = 0; at < open.length; at += ITEMS_AT_ONCE) {
        const items = open.slice(at, at + ITEMS_AT_ONCE).map((item) => toEnded(item, clock.now()))
        await store.jobChunks.writeFinished(jobId, { items, results: [] })
      }
    }
    const end = { now: clock.now(), eventId: `evt_${ctx.randomToken()}` }
    if (await store.jobLimits.end(jobId, end)) await finishJob(ctx, jobId)
  }
}

/** The item as a dead letter, unless it is malformed. Evidence of an earlier pass shows why it was still pending. */
function toEnded({ idx, email, evidence: before, attempts }: OpenItem, verifiedAt: number): PassedItem {
  const evidence = before ?? { ...noEvidence(parseAddress(email)), probeProblem: "deadline" as const }
  const { verdict, score, canSend } = assess(evidence, { cached: false, verifiedAt })
  const isMalformed = verdict.status === "invalid_syntax"
  return {
    ...{ idx, canSend, evidence, verifiedAt, attempts },
    status: isMalformed ? "invalid_syntax" : "unknown",
    score: score.total,
    cached: false,
    error: isMalformed ? null : "finish_within",
    isAbandoned: false,
    credits: 0,
  }
}
