import type { ChunkMessage } from "../../../schema/wire/queue.ts"
import type { ClaimedChunk, OpenItem, PassedItem } from "../../adapters/store/job-chunks.ts"
import { type Deps, replacing } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { nextWaitMs } from "../../domain/bulk/retry-plan.ts"
import { isTemporary } from "../../domain/bulk/temporary.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { isTrouble } from "../../domain/verdict/recheck.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { resultsOf, rewriteCached } from "../verification/store-verifications.ts"
import { type FoundMany, findMany, type VerifyManyNeeds } from "../verification/verify-many.ts"
import { type FinishNeeds, finishJob } from "./finish-job.ts"

export type RunNeeds = VerifyManyNeeds & FinishNeeds & Pick<Deps, "jobChunks" | "bulk" | "randomToken">

/** Asking takes at most this long; a lease holds for longer. */
const PASS_MS = 30_000
/** A chunk that was leased so often without coming to an end will never do. */
const MAX_LEASES = 24
const FAILURE_PAUSE_MS = 5_000

/**
 * Works on one chunk: whatever is open in it is verified, what is only held up is left for the next pass, and all is
 * written in one step. A message that comes late or again finds nothing to do. Never throws.
 */
export async function runChunk(needs: RunNeeds, message: ChunkMessage): Promise<void> {
  const { clock, jobChunks, bulk, log } = needs
  try {
    const chunk = await jobChunks.claim(message, clock.now() + bulk.leaseMs)
    if (!chunk) return
    const isLast = message.leaseEpoch >= MAX_LEASES
    const { items, nextAt, found } = isLast ? abandon(needs, chunk) : await pass(needs, chunk)
    const { isEnd, isKept } = await jobChunks.write({
      message,
      items,
      results: resultsOf(found?.fresh ?? []),
      nextAt,
      now: clock.now(),
      eventId: `evt_${needs.randomToken()}`,
    })
    if (found && isKept) await rewriteCached(needs, found.fresh, found.wasStored)
    if (isEnd) await finishJob(needs, message.jobId)
  } catch (error) {
    log("chunk_failed", { job: message.jobId, chunk: message.chunk, error: (error as Error).message })
    const pause = Math.min(bulk.leaseMs, FAILURE_PAUSE_MS)
    await jobChunks.giveBack(message, clock.now() + pause).catch(() => undefined)
  }
}

interface Passed {
  readonly items: readonly PassedItem[]
  readonly nextAt: number | null
  /** Null: nothing was looked for. */
  readonly found: FoundMany | null
}

async function pass(needs: RunNeeds, { accountId, items, passes, smtp }: ClaimedChunk): Promise<Passed> {
  if (items.length === 0) return { items: [], nextAt: null, found: null }
  const found = await findMany(replacing(needs, { probes: needs.probes.forAccount(accountId) }), {
    emails: items.map(({ email }) => email),
    smtp,
    wallAt: needs.clock.now() + Math.min(PASS_MS, needs.bulk.leaseMs * 0.8),
    priority: "bulk",
    serve: "settled",
    before: new Map(items.flatMap(({ evidence }, index) => (evidence ? [[index, evidence] as const] : []))),
  })
  const verified = found.verifications
  const heldUp = smtp ? verified.filter(({ verdict }) => isTemporary(verdict)) : []
  const askedMs = heldUp.map(({ verdict }) => (verdict.reply?.retryAfterSeconds ?? 0) * 1_000)
  const wait =
    heldUp.length > 0 ? nextWaitMs({ passes: passes + 1, delaysMs: needs.bulk.retryDelaysMs, askedMs }) : null
  const passedItems = items.map((item, index) => {
    const verification = verified[index]!
    const isHeldUp = smtp && isTemporary(verification.verdict)
    return toPassed(item, {
      verification,
      staysOpen: isHeldUp && wait !== null,
      error: isHeldUp ? verification.verdict.finding : null,
    })
  })
  return { items: passedItems, nextAt: wait === null ? null : needs.clock.now() + wait, found }
}

function toPassed(
  { idx, attempts, evidence: before }: OpenItem,
  { verification, staysOpen, error }: { verification: Verification; staysOpen: boolean; error: string | null },
): PassedItem {
  const { verdict, score, cached, verifiedAt } = verification
  // Greylisting knows us by node and source IP: trouble in between must not make the next pass forget them.
  const evidence = staysOpen && isTrouble(verdict) && before ? before : verification.evidence
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

/** Every item ends: these have a result that says nothing, and an entry among the failed. */
function abandon({ clock }: Pick<Deps, "clock">, { items }: ClaimedChunk): Passed {
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
