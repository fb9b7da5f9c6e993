import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { NewPending, PendingVerification } from "../../adapters/store/verification/pending.ts"
import { whenAvailable, whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller, subjectOf } from "../../domain/accounts/caller.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { cacheKey, shownEmail } from "../../domain/address/address-forms.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import { RUN_LEASE } from "../../domain/lease.ts"
import { NO_ACCOUNT_FLAGS } from "../../domain/suppression/flags.ts"
import { forCurrentSpelling, noEvidence } from "../../domain/verification/evidence.ts"
import {
  answerOf,
  assess,
  reassess,
  type Verification,
  withAccountFlags,
} from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { pricesFor, UNMETERED } from "../accounts/charge.ts"
import { findAccountFlags } from "../suppression/flags.ts"
import { publishEvent, readWebhookUrl } from "../webhooks/publish-event.ts"
import { type FoundCached, findCached, findKnown, NOTHING_KNOWN } from "./known.ts"
import { verify } from "./verify.ts"

/** A Worker may run for 30 s after its response. */
const TIMEOUT_MS = 25_000
const MAX_ATTEMPTS = 3
/** Abandoned verifications that one sweep resumes. */
const AT_ONCE = 50
const RETENTION_MS = 7 * 24 * 3_600_000

export interface Started {
  readonly verificationId: string
  readonly address: ParsedAddress
  /** The result known at once, null when the verification runs in the background. */
  readonly cached: FoundCached | null
  readonly state: "queued" | "complete"
}

/**
 * Returns a cached result or a syntax error at once and free of charge, else starts a background verification. The row
 * precedes the response, so that a poll finds it, and the sweep after a crash. @param webhookUrl empty for none
 */
export async function startVerification(
  ctx: Context,
  meter: UsageMeter,
  { email, webhookUrl, caller }: { email: string; webhookUrl: string; caller: Caller },
): Promise<Started> {
  const address = parseAddress(email)
  // Only cached results are unlimited: a webhook sends a request anywhere, and any text creates a row.
  if (webhookUrl !== "" || !address.ok) await meter.authorize()
  const url = await readWebhookUrl(ctx, webhookUrl)
  const accountId = accountOf(caller)
  const cached = address.ok ? await findCached(ctx, { address, accountId }) : null
  const now = ctx.clock.now()
  const row: Omit<NewPending, "verificationId" | "state" | "chargeId" | "completedAt"> = {
    accountId,
    keyId: caller.kind === "member" ? caller.keyId : null,
    email: shownEmail(address),
    webhookUrl: url,
    createdAt: now,
  }
  if (cached || !address.ok) {
    const verificationId = await idOfKnown(ctx, { address, cached, caller, url })
    const known = { ...row, verificationId, state: "complete", chargeId: null, completedAt: now } as const
    await ctx.store.pending.add(known)
    // Also on a repeated request: the previous call may have failed here, and the event is sent only once.
    // The answer itself has the result, so the account's endpoints get no event unless the call names a webhook.
    if (url !== "") await notifyWebhook(ctx, { ...known, attempts: 0, evidence: null })
    return { verificationId, address, cached, state: "complete" }
  }

  const verificationId = `ver_${ctx.randomToken()}`
  const charge = await meter.reserve(pricesFor(ctx, accountId).most([address]), {
    kind: "job",
    chargeId: verificationId,
  })
  const queued = { ...row, verificationId, state: "queued", chargeId: charge.chargeId, completedAt: null } as const
  await ctx.store.pending.add(queued).catch(async (error: unknown) => {
    await charge.settle(0)
    throw error
  })
  ctx.background(finishVerification(ctx, verificationId))
  return { verificationId, address, cached: null, state: "queued" }
}

/** Identical free requests about the same known result share one row. */
async function idOfKnown(
  { digests }: Pick<Context, "digests">,
  known: { address: ParsedAddress; cached: FoundCached | null; caller: Caller; url: string },
): Promise<string> {
  const { address, cached, caller, url } = known
  const what = address.ok ? `${cacheKey(address)} ${cached?.result.verifiedAt}` : `malformed ${address.input}`
  return `ver_${(await digests.of("pending", `${subjectOf(caller)}\n${url}\n${what}`)).slice(0, 32)}`
}

/** Finds a quick verification and, once complete, its result. @throws AppError not_found, also for another account's */
export async function findPending(
  ctx: Context,
  { verificationId, caller }: { verificationId: string; caller: Caller },
): Promise<{ pending: PendingVerification; verification: Verification | null }> {
  const pending = await ctx.store.pending.find(verificationId)
  if (!pending || !mayRead(pending, caller)) throw new AppError("not_found", "there is no such verification")
  return { pending, verification: await readPending(ctx, pending) }
}

function mayRead({ accountId }: PendingVerification, caller: Caller): boolean {
  if (accountId === null || caller.kind === "admin") return true
  return caller.kind === "member" && caller.accountId === accountId
}

/** Completes a quick verification unless another worker has claimed it, settles the charge and notifies the webhook. */
export async function finishVerification(ctx: Context, verificationId: string): Promise<void> {
  const now = ctx.clock.now()
  const claimed = await ctx.store.pending.claim(verificationId, { now, until: now + RUN_LEASE.ms })
  if (!claimed) return
  if (claimed.attempts > MAX_ATTEMPTS) return end(ctx, claimed, null)
  const renew = () => ctx.store.pending.renew(claimed, ctx.clock.now() + RUN_LEASE.ms)
  const work = () => verifyClaimed(ctx, claimed)
  try {
    await whileRepeating(ctx.clock, { everyMs: RUN_LEASE.renewEveryMs, repeat: renew }, work)
  } catch (error) {
    ctx.log("pending_verification_failed", { attempt: claimed.attempts, error: (error as Error).message })
  }
}

async function verifyClaimed(ctx: Context, claimed: PendingVerification): Promise<void> {
  const { accountId, email } = claimed
  const address = parseAddress(email)
  const known = address.ok ? findKnown(ctx, { accountId, address }) : Promise.resolve(NOTHING_KNOWN)
  const verification = await verify(ctx, UNMETERED, { address, accountId, known, smtp: true, timeoutMs: TIMEOUT_MS })
  await whenAvailable(ctx.clock, ctx.clock.now() + TIMEOUT_MS, () => end(ctx, claimed, verification))
}

/** Resumes quick verifications whose request crashed. */
export async function sweepPending(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const ids = await ctx.store.pending.abandoned(now, AT_ONCE)
  if (ids.length > 0) ctx.log("pending_verifications_resumed", { count: ids.length })
  await Promise.all(ids.map((id) => finishVerification(ctx, id)))
}

/** Deletes old quick verifications and old answers of breach services. */
export async function deleteOldPending(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.store.pending.deleteBefore(now - RETENTION_MS)
  await ctx.store.breaches.deleteExpiredAnswers(now)
}

async function end(ctx: Context, pending: PendingVerification, verification: Verification | null): Promise<void> {
  const state = verification ? "complete" : "failed"
  const evidence = verification?.evidence ?? null
  const now = ctx.clock.now()
  await notifyWebhook(ctx, { ...pending, state, evidence, completedAt: now })
  const isPaid = verification && !verification.cached && verification.verdict.status !== "unknown"
  if (pending.chargeId) await ctx.store.charges.settle(pending.chargeId, isPaid ? CREDITS.verification : 0)
  // If this fails, another attempt repeats the steps above. Each of them takes effect only once.
  const isEnded = await ctx.store.pending.finish(pending.verificationId, { state, evidence, now })
  if (!isEnded || !verification) return
  const { accountId, keyId } = pending
  await ctx.store.history.count({ accountId, keyId }, [answerOf(verification)], now)
}

/** Notifies the call's webhook and the account's endpoints. Repeated calls send a single event to each. */
async function notifyWebhook(ctx: Context, pending: PendingVerification): Promise<void> {
  await publishEvent(ctx, {
    accountId: pending.accountId,
    type: "verification.completed",
    url: pending.webhookUrl,
    about: pending.verificationId,
    async data() {
      const verification = await readPending(ctx, pending)
      return {
        verification_id: pending.verificationId,
        state: pending.state,
        email: pending.email,
        status: verification?.verdict.status ?? null,
        sub_status: verification?.verdict.subStatus ?? null,
        score: verification?.score.total ?? null,
        can_send: verification?.canSend ?? null,
      }
    },
  })
}

/** Assesses a completed quick verification again from its evidence. Null until it is complete. */
async function readPending(ctx: Context, pending: PendingVerification): Promise<Verification | null> {
  if (pending.state !== "complete") return null
  const address = parseAddress(pending.email)
  const { accountId } = pending
  const [verification, accountFlags] = await Promise.all([
    judgeAnew(ctx, address, pending),
    address.ok ? findAccountFlags(ctx, { accountId, address }) : NO_ACCOUNT_FLAGS,
  ])
  return verification && withAccountFlags(verification, accountFlags)
}

async function judgeAnew(
  ctx: Context,
  address: ParsedAddress,
  { evidence, createdAt, completedAt }: PendingVerification,
): Promise<Verification | null> {
  const fresh = { cached: false, verifiedAt: completedAt ?? createdAt }
  if (evidence) return assess(forCurrentSpelling(evidence, address), fresh)
  if (!address.ok) return assess(noEvidence(address), fresh)
  const { result } = await ctx.store.results.latest(cacheKey(address), address.domain)
  return result && reassess(result, address)
}
