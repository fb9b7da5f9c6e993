import type { UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { historyAddress } from "../../domain/address/shown-email.ts"
import { flagHashes } from "../../domain/feedback/address-hash.ts"
import { presentChecks } from "../../domain/verdict/checks.ts"
import { answerOf, type Verification, withAccountFlags } from "../../domain/verdict/verification.ts"
import { countAnswers, recordAnswers } from "../accounts/record-answers.ts"
import { enrich } from "../learning/enrich.ts"
import { breachResultOf, checkBreachesBeside } from "./breaches.ts"
import { ALL_CHECKS } from "./complete-stored.ts"
import { findAtEdge } from "./find-at-edge.ts"
import { lookUp, NOTHING_KNOWN } from "./look-up.ts"
import { type VerifyInput, verify } from "./verify.ts"

/** The options of a verification. The account comes from the caller. */
export interface CallerInput extends Omit<VerifyInput, "accountId" | "known"> {
  /** Also search breaches. */
  readonly breach?: boolean
  /** False ignores suppressions. */
  readonly suppression?: boolean
  /** Add the model's prediction and the activity of the mailbox. */
  readonly enriched?: boolean
}

/** Verifies an address with the flags of the caller's account, and adds the result to the account's history. */
export async function verifyForCaller(
  ctx: Context,
  meter: UsageMeter,
  { caller, breach = false, suppression = true, enriched = false, ...options }: CallerInput & { caller: Caller },
): Promise<Verification> {
  const address = parseAddress(options.email)
  const accountId = accountOf(caller)
  const deadlineAt = ctx.clock.now() + options.timeoutMs
  ctx.turn.deadlineAt = deadlineAt
  const { checks = ALL_CHECKS, fresh = false } = options
  const atEdge = address.ok && !fresh ? await findAtEdge(ctx, { address, checks, accountId }) : null
  const known = (async () => {
    if (atEdge) return { ...NOTHING_KNOWN, accountFlags: atEdge.accountFlags }
    return address.ok ? lookUp(ctx, { accountId, address }) : NOTHING_KNOWN
  })()
  const finding = known.then(({ accountFlags }) => accountFlags)
  const verifying = async () => atEdge?.verification ?? (await verify(ctx, meter, { ...options, accountId, known }))
  const [{ done: neutral, search }, accountFlags] = await Promise.all([
    breach && address.ok
      ? checkBreachesBeside(ctx, meter, { address, work: verifying, accountFlags: finding, deadlineAt })
      : verifying().then((done) => ({ done, search: null })),
    finding,
  ])
  const found = breach ? { ...neutral, breach: breachResultOf(search) } : neutral
  const own = enriched ? await enrich(ctx, found, accountId) : found
  const verification = withAccountFlags(own, suppression ? accountFlags : { ...accountFlags, isSuppressed: false })
  recordHistory(ctx, meter, { caller, verifications: [verification] })
  return verification
}

/** Adds results to the caller's history after the response. Those of a caller without an account are only counted. */
export function recordHistory(
  ctx: Context,
  meter: UsageMeter,
  { caller, verifications }: { caller: Caller; verifications: readonly Verification[] },
): void {
  if (caller.kind !== "member") {
    ctx.background(countAnswers(ctx, verifications.map(answerOf)))
    return
  }
  const entries = verifications.map((verification) => {
    const { address } = verification.evidence
    return {
      ...historyAddress(address),
      ...answerOf(verification),
      checks: presentChecks(verification),
    }
  })
  const isCounted = Boolean(meter.state()?.month)
  const [only, ...others] = verifications.map(({ evidence }) => evidence.address)
  const recording = async () => {
    const subjects = only?.ok && others.length === 0 ? await flagHashes(ctx.digests, only) : []
    await recordAnswers(ctx, caller, { entries, subjects, isCounted })
  }
  ctx.background(recording())
}
