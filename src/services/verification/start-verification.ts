import type { NewPending } from "../../adapters/store/pending.ts"
import type { Deps } from "../../deps.ts"
import { accountOf, type Caller, subjectOf } from "../../domain/accounts/caller.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { type ParsedAddress, parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { shownEmail } from "../../domain/address/shown-email.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { AppError } from "../../errors.ts"
import { readWebhookUrl } from "../webhooks/read-webhook-url.ts"
import { type FoundCached, findCached } from "./find-cached.ts"
import { type FinishNeeds, finishVerification, tellEnd } from "./finish-verification.ts"

type Needs = FinishNeeds & Pick<Deps, "background" | "meter" | "webhookRules" | "marks">

export interface StartInput {
  readonly email: string
  /** Empty when nobody wants to be told. */
  readonly webhookUrl: string
  readonly caller: Caller
}

export interface Started {
  readonly verificationId: string
  readonly address: ParsedAddress
  /** What was known at once; null when it has to be found out. */
  readonly cached: FoundCached | null
  readonly state: "queued" | "complete"
}

/**
 * What is known about an address at once, from the cache or by its syntax, which costs nothing; the rest is found out
 * in the background. The row is written before the answer, so that a poll finds it, and so does the sweep after a
 * crash.
 */
export async function startVerification(needs: Needs, { email, webhookUrl, caller }: StartInput): Promise<Started> {
  const address = parseAddress(email)
  // Only cached results may be asked for without limit: a webhook goes anywhere, and any text makes a row.
  if (webhookUrl !== "" || !address.ok) await needs.meter.admit()
  const url = await readWebhookUrl(needs, webhookUrl)
  const accountId = accountOf(caller)
  const cached = address.ok ? await cachedOrNull(needs, address, accountId) : null
  const now = needs.clock.now()
  const row: Omit<NewPending, "verificationId" | "state" | "chargeId" | "completedAt"> = {
    accountId,
    email: shownEmail(address),
    webhookUrl: url,
    createdAt: now,
  }
  if (cached || !address.ok) {
    const verificationId = await idOfKnown(needs, { address, cached, caller, url })
    const known = { ...row, verificationId, state: "complete", chargeId: null, completedAt: now } as const
    await needs.pending.add(known)
    // Asked again too: the call before may have broken off here, and nothing goes out twice.
    await tellEnd(needs, { ...known, attempts: 0, evidence: null })
    return { verificationId, address, cached, state: "complete" }
  }

  const verificationId = `ver_${needs.randomToken()}`
  const charge = await needs.meter.reserve(CREDITS.verification, { kind: "job", chargeId: verificationId })
  const queued = { ...row, verificationId, state: "queued", chargeId: charge.chargeId, completedAt: null } as const
  await needs.pending.add(queued).catch(async (error: unknown) => {
    await charge.settle(0)
    throw error
  })
  needs.background(finishVerification(needs, verificationId))
  return { verificationId, address, cached: null, state: "queued" }
}

async function cachedOrNull(
  needs: Needs,
  address: ValidAddress,
  accountId: string | null,
): Promise<FoundCached | null> {
  try {
    return await findCached(needs, { address, accountId, maxAgeHours: undefined })
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null
    throw error
  }
}

/** The same question about the same known result is one row, however often it is asked: asking costs nothing. */
async function idOfKnown(
  { digests }: Needs,
  known: { address: ParsedAddress; cached: FoundCached | null; caller: Caller; url: string },
): Promise<string> {
  const { address, cached, caller, url } = known
  const what = address.ok ? `${cacheKey(address)} ${cached?.result.verifiedAt}` : `malformed ${address.input}`
  return `ver_${(await digests.of("pending", `${subjectOf(caller)}\n${url}\n${what}`)).slice(0, 32)}`
}
