import type { PassedItem } from "../../adapters/store/lists/finish-items.ts"
import type { ClaimedChunk, OpenItem, Pass } from "../../adapters/store/lists/job-chunks.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import {
  hasNoServerAnswer,
  isTemporary,
  nextAttempt,
  pauseWithoutNode,
} from "../../domain/verification/next-attempt.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { pricesFor } from "../accounts/charge.ts"
import { type FoundMany, findMany, type Settled } from "../verification/verify-many.ts"

/** Probing takes at most this long. */
const PASS_MS = 30_000
/** Addresses that no probe node answered are tried again at this interval, for this long. */
const NODE_PAUSE_MS = 5_000
const NODE_WAIT_MS = 60_000

/** The results of a pass over the open items of a chunk. */
export type Passed = Pick<Pass, "items" | "nextAt" | "isCounted"> & {
  /** Null when nothing was verified. */
  readonly found: FoundMany | null
}

/** Repeats database work until the database answers. */
export type Repeatedly = <T>(work: () => Promise<T>) => Promise<T>

/** Reports an item that is finished while others of its pass are still pending. */
export type OnFinished = (item: PassedItem, settled: Settled) => void

interface PassOptions {
  /** Leases of the chunk so far. */
  readonly leases: number
  readonly repeatedly: Repeatedly
  readonly onFinished: OnFinished
}

/**
 * Verifies the open items of a chunk. Deferred items stay open for the next pass. Items that only lack a probe node wait
 * a few seconds, and the pass does not count. The result has all items, including those reported as finished before.
 */
export async function runPass(
  ctx: Context,
  chunk: ClaimedChunk,
  { leases, repeatedly, onFinished }: PassOptions,
): Promise<Passed> {
  const { items, passes, smtp } = chunk
  if (items.length === 0) return { items: [], nextAt: null, isCounted: true, found: null }
  const found = await findWithNodes(ctx, chunk, { repeatedly, onFinished })
  const deferred = smtp ? found.verifications.filter(isTemporary) : []
  const pause = deferred.length > 0 && deferred.every(lacksNode) ? pauseWithoutNode(leases) : null
  const policy = { of: "list", delaysMs: ctx.config.bulk.retryDelaysMs } as const
  const waits = deferred.flatMap(({ verdict }) => nextAttempt(verdict, passes, policy) ?? [])
  const wait = pause ?? (waits.length > 0 ? Math.max(...waits) : null)
  const passedItems = items.map((item, index) => {
    const verification = found.verifications[index]!
    const isDeferred = smtp && isTemporary(verification)
    return toPassed(ctx, item, {
      accountId: chunk.accountId,
      verification,
      staysOpen: isDeferred && wait !== null,
      error: isDeferred ? verification.verdict.finding : null,
    })
  })
  const nextAt = wait === null ? null : ctx.clock.now() + wait
  return { items: passedItems, nextAt, isCounted: pause === null, found }
}

/**
 * Verifies items, and those that no probe node answered again, so that a short outage of the nodes defers nothing. An
 * account's own node is not waited for: it must not delay other accounts.
 */
async function findWithNodes(
  ctx: Context,
  chunk: ClaimedChunk,
  { repeatedly, onFinished }: Pick<PassOptions, "repeatedly" | "onFinished">,
): Promise<FoundMany> {
  const { clock } = ctx
  const { items, smtp, accountId, endsAt } = chunk
  const giveUpAt = Math.min(clock.now() + NODE_WAIT_MS, endsAt ?? Number.POSITIVE_INFINITY)
  const findOpen = (some: readonly OpenItem[]) => repeatedly(() => find(ctx, chunk, { items: some, onFinished }))
  let found = await findOpen(items)
  for (;;) {
    const lacking = found.verifications.flatMap((one, index) => (smtp && lacksNode(one) ? [index] : []))
    if (lacking.length === 0 || clock.now() + NODE_PAUSE_MS > giveUpAt) return found
    if ((await ctx.probes.owner(accountId)) !== null) return found
    await clock.sleep(NODE_PAUSE_MS)
    const again = await findOpen(lacking.map((index) => items[index]!))
    const verifications = [...found.verifications]
    for (const [n, index] of lacking.entries()) verifications[index] = again.verifications[n]!
    const fresh = [...found.fresh.filter((one) => verifications.includes(one)), ...again.fresh]
    found = { ...found, verifications, fresh }
  }
}

function lacksNode({ verdict }: Verification): boolean {
  return verdict.finding === "no_probe_node"
}

function find(
  ctx: Context,
  { accountId, smtp, endsAt }: Pick<ClaimedChunk, "accountId" | "smtp" | "endsAt">,
  { items, onFinished }: { items: readonly OpenItem[]; onFinished: OnFinished },
): Promise<FoundMany> {
  const input = {
    addresses: items.map(({ email }) => parseAddress(email)),
    accountId,
    smtp,
    deadlineAt: Math.min(ctx.clock.now() + PASS_MS, endsAt ?? Number.POSITIVE_INFINITY),
    priority: "bulk",
    serve: "settled",
    before: new Map(items.flatMap(({ evidence }, index) => (evidence ? [[index, evidence] as const] : []))),
  } as const
  return findMany(ctx, input, (settled) => {
    const { index, verification } = settled
    if (smtp && isTemporary(verification)) return
    onFinished(toPassed(ctx, items[index]!, { accountId, verification, staysOpen: false, error: null }), settled)
  })
}

interface PassedResult {
  readonly accountId: string | null
  readonly verification: Verification
  readonly staysOpen: boolean
  readonly error: string | null
}

function toPassed(
  ctx: Context,
  { idx, attempts, evidence: before }: OpenItem,
  { accountId, verification, staysOpen, error }: PassedResult,
): PassedItem {
  const { verdict, score, canSend, cached, verifiedAt } = verification
  // Greylisting identifies a sender by node and source IP. Evidence of a failure must not replace them before the next
  // pass.
  const evidence = staysOpen && hasNoServerAnswer(verdict) && before ? before : verification.evidence
  return {
    idx,
    evidence,
    canSend,
    cached,
    verifiedAt,
    status: staysOpen ? null : verdict.status,
    score: score.total,
    attempts: attempts + (cached || verdict.status === "invalid_syntax" ? 0 : 1),
    error: staysOpen ? null : error,
    isAbandoned: false,
    credits: staysOpen ? 0 : pricesFor(ctx, accountId).of([verification]),
  }
}
