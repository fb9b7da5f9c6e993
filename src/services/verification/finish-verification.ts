import { createMeter } from "../../adapters/keygate/meter.ts"
import type { PendingVerification } from "../../adapters/store/pending.ts"
import { type Deps, replacing } from "../../deps.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type AnnounceNeeds, announce } from "../webhooks/announce.ts"
import { readPending } from "./read-pending.ts"
import { type VerifyNeeds, verify } from "./verify.ts"

export type FinishNeeds = Omit<VerifyNeeds, "meter"> &
  AnnounceNeeds &
  Pick<Deps, "pending" | "charges" | "history" | "suppressions">

/** A Worker may go on for 30 s after its answer. */
const TIMEOUT_MS = 25_000
/** Whoever has not finished by then is taken for dead. */
const LEASE_MS = 60_000
const MAX_ATTEMPTS = 3

/** Finds out what a quick verification left open, unless somebody else does; settles, and tells the webhook. */
export async function finishVerification(needs: FinishNeeds, verificationId: string): Promise<void> {
  const now = needs.clock.now()
  const claimed = await needs.pending.claim(verificationId, { now, until: now + LEASE_MS })
  if (!claimed) return
  if (claimed.attempts > MAX_ATTEMPTS) return end(needs, claimed, null)
  try {
    // The credit was reserved when it was asked for.
    const meter = createMeter(needs)
    const probes = needs.probes.forAccount(claimed.accountId)
    const verification = await verify(replacing(needs, { meter, probes }), {
      email: claimed.email,
      smtp: true,
      timeoutMs: TIMEOUT_MS,
    })
    await end(needs, claimed, verification)
  } catch (error) {
    needs.log("pending_verification_failed", { attempt: claimed.attempts, error: (error as Error).message })
  }
}

async function end(needs: FinishNeeds, pending: PendingVerification, verification: Verification | null): Promise<void> {
  const state = verification ? "complete" : "failed"
  const evidence = verification?.evidence ?? null
  const now = needs.clock.now()
  await tellEnd(needs, { ...pending, state, evidence, completedAt: now })
  const isPaid = verification && !verification.cached && verification.verdict.status !== "unknown"
  if (pending.chargeId) await needs.charges.settle(pending.chargeId, isPaid ? CREDITS.verification : 0)
  // Without it another attempt repeats the steps above, each of which takes effect only once.
  const isEnded = await needs.pending.finish(pending.verificationId, { state, evidence, now })
  if (!isEnded || !verification || pending.accountId === null) return
  await needs.history.count(
    pending.accountId,
    [{ status: verification.verdict.status, cached: verification.cached }],
    now,
  )
}

/** Tells the webhook, when there is one, once however often it is called. */
export async function tellEnd(needs: FinishNeeds, pending: PendingVerification): Promise<void> {
  if (pending.webhookUrl === "") return
  const verification = await readPending(needs, pending)
  await announce(needs, {
    accountId: pending.accountId,
    type: "verification.completed",
    url: pending.webhookUrl,
    about: pending.verificationId,
    data: {
      verification_id: pending.verificationId,
      state: pending.state,
      email: pending.email,
      status: verification?.verdict.status ?? null,
      sub_status: verification?.verdict.subStatus ?? null,
      score: verification?.score.total ?? null,
      can_send: verification?.canSend ?? null,
    },
  })
}
