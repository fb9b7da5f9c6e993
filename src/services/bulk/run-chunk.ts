import type { ChunkMessage } from "../../../schema/wire/queue.ts"
import type { ClaimedChunk, OpenItem, PassedItem } from "../../adapters/store/jobs/job-chunks.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { nextWaitMs } from "../../domain/bulk/retry-plan.ts"
import { isTemporary } from "../../domain/bulk/temporary.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { hasNoServerAnswer } from "../../domain/verdict/recheck.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { publishStored, resultsOf } from "../verification/stored-results.ts"
import { type FoundMany, findMany } from "../verification/verify-many.ts"
import { finishJob } from "./finish-job.ts"

/** Probing takes at most this long, which is shorter than the lease. */
const PASS_MS = 30_000
/** A chunk that is still open after this many leases is abandoned. */
const MAX_LEASES = 24
const FAILURE_PAUSE_MS = 5_000

/**
 * Verifies the open items of one chunk. Deferred items wait for the next pass. One transaction writes all results with their charge. A late
 * or repeated message finds no work. Never throws.
 */
export async function runChunk(ctx: Context, message: ChunkMessage): Promise<void> {
  const { clock, log } = ctx
  const { jobChunks } = ctx.store
  const { bulk } = ctx.config
  try {
    const chunk = await jobChunks.claim(message, clock.now() + bulk.leaseMs)
    if (!chunk) return
    const isLast = message.leaseEpoch >= MAX_LEASES
    const { items, nextAt, found } = isLast ? abandon(ctx, chunk) : await pass(ctx, chunk)
    const { isEnd, isStored } = await jobChunks.write({
      message,
      items,
      results: resultsOf(found?.fresh ?? []),
      nextAt,
      now: clock.now(),
      eventId: `evt_${ctx.randomToken()}`,
    })
    if (found && isStored) await publishStored(ctx, found.fresh, found.storedFor)
    if (isEnd) await finishJob(ctx, message.jobId)
  } catch (error) {
    log("chunk_failed", { job: message.jobId, chunk: message.chunk, error: (error as Error).message })
    const pause = Math.min(bulk.leaseMs, FAILURE_PAUSE_MS)
    await jobChunks.releaseForRetry(message, clock.now() + pause).catch(() => undefined)
  }
}

interface Passed {
  readonly items: readonly PassedItem[]
  readonly nextAt: number | null
  /** Null when nothing was verified. */
  readonly found: FoundMany | null
}

async function pass(ctx: Context, { accountId, items, passes, smtp }: ClaimedChunk): Promise<Passed> {
  if (items.length === 0) return { items: [], nextAt: null, found: null }
  const found = await findMany(ctx, {
    emails: items.map(({ email }) => email),
    accountId,
    smtp,
    deadlineAt: ctx.clock.now() + Math.min(PASS_MS, ctx.config.bulk.leaseMs * 0.8),
    priority: "bulk",
    serve: "settled",
    before: new Map(items.flatMap(({ evidence }, index) => (evidence ? [[index, evidence] as const] : []))),
  })
  const verified = found.verifications
  const heldUp = smtp ? verified.filter(({ verdict }) => isTemporary(verdict)) : []
  const askedMs = heldUp.map(({ verdict }) => (verdict.reply?.retryAfterSeconds ?? 0) * 1_000)
  const wait =
    heldUp.length > 0 ? nextWaitMs({ passes: passes + 1, delaysMs: ctx.config.bulk.retryDelaysMs, askedMs }) : null
  const passedItems = items.map((item, index) => {
    const verification = verified[index]!
    const isHeldUp = smtp && isTemporary(verification.verdict)
    return toPassed(item, {
      verification,
      staysOpen: isHeldUp && wait !== null,
      error: isHeldUp ? verification.verdict.finding : null,
    })
  })
  return { items: passedItems, nextAt: wait === null ? null : ctx.clock.now() + wait, found }
}

function toPassed(
  { idx, attempts, evidence: before }: OpenItem,
  { verification, staysOpen, error }: { verification: Verification; staysOpen: boolean; error: string | null },
): PassedItem {
  const { verdict, score, cached, verifiedAt } = verification
  // Greylisting identifies a sender by node and source IP. Evidence of a failure must not replace them before the next
  // pass.
  const evidence = staysOpen && hasNoServerAnswer(verdict) && before ? before : verification.evidence
  return {
    ...{ idx, evidence, cached, verifiedAt },
    status: staysOpen ? null : verdict.status,
    score: score.total,
    attempts: attempts + (cached || verdict.status === "invalid_syntax" ? 0 : 1),
    error: staysOpen ? null : error,
    isAbandoned: false,
    credits: staysOpen ? 0 : creditsFor([verification]),
  }
}

/** Ends every open item with an inconclusive result and lists it among the failed items. */
function abandon({ clock }: Pick<Context, "clock">, { items }: ClaimedChunk): Passed {
  const verifiedAt = clock.now()
  return {
    nextAt: null,
    found: null,
    items: items.map(({ idx, email, evidence, attempts }) => ({
      ...{ idx, attempts, verifiedAt },
      status: "unknown",
      score: 0,
      evidence: evidence ?? { ...noEvidence(parseAddress(email)), probeProblem: "no_node" as const },
      cached: false,
      error: "not_processed",
      isAbandoned: true,
      credits: 0,
    })),
  }
}
