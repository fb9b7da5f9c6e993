import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import { clientNetwork, formPolicyOf, type Member } from "../../domain/accounts/caller.ts"
import type { FormPolicy } from "../../domain/accounts/key-restrictions.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import {
  decideForForm,
  type FormDecision,
  type FormEvidence,
  NO_ANSWER,
  needsMailServer,
} from "../../domain/form/decision.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { classifyByHosts } from "../../domain/reference/classify-by-hosts.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import { type MxKind, mxKindOf } from "../../domain/verification/evidence.ts"
import { withAccountFlags } from "../../domain/verification/verification.ts"
import { AppError, tooMany } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { findMailRoute } from "../verification/find-facts.ts"
import { findKnown } from "../verification/known.ts"
import { findChecks } from "../verification/quick-checks.ts"
import { recordHistory } from "../verification/settle.ts"
import { verify } from "../verification/verify.ts"

/** A visitor does not notice an answer within it. What is slower counts as unknown. */
const ANSWER_MS = 300
/** Share of it for the stored result. DNS has the rest. */
const STORED_MS = 150
/** The live verdict needs no check beside the mailbox. */
const MAILBOX_ONLY = { rbl: false, gravatar: false, webPresence: false, domainAge: false } as const

/**
 * Decides what a form does with an address, within 300 ms, or within the longer time that the key's policy grants the
 * mail server. What does not answer in time never blocks. The account's own lists are not read: every visitor has the key.
 * @throws AppError rate_limited for the minute of the account and of the visitor, and for the key's day
 */
export async function verifyForForm(
  ctx: Context,
  meter: UsageMeter,
  { email, caller, clientIp }: { email: string; caller: Member; clientIp: string | undefined },
): Promise<FormDecision> {
  const policy = formPolicyOf(caller)
  if (!policy || caller.keyId === null) throw new AppError("forbidden", "this needs a publishable API key")
  await countFreeWork(ctx, "formAnswers", caller)
  const deadlineAt = ctx.clock.now() + ANSWER_MS
  ctx.queueEntry.deadlineAt = deadlineAt
  const counting = countFormCall(ctx, { keyId: caller.keyId, policy, clientIp }).then(() => true)
  if (!(await withDeadline(ctx.clock, counting, deadlineAt))) return NO_ANSWER
  const address = parseAddress(email)
  if (!address.ok) return decideForForm({ ...NOTHING, syntaxValid: false, suggestion: didYouMean(address, undefined) })
  const evidence = await findEvidence(ctx, address, deadlineAt)
  const decision = decideForForm(evidence)
  if (policy.liveTimeoutMs === null || !needsMailServer(evidence, decision)) return decision
  const status = await findStatus(ctx, meter, { address, caller, timeoutMs: policy.liveTimeoutMs })
  return decideForForm({ ...evidence, status })
}

const NOTHING: FormEvidence = {
  syntaxValid: true,
  suggestion: null,
  isDisposable: false,
  isRole: false,
  acceptsMail: null,
  status: null,
}

/** Returns what is known about an address by the deadline, Unix ms: the stored result, else the lists and DNS. */
async function findEvidence(ctx: Context, address: ValidAddress, deadlineAt: number): Promise<FormEvidence> {
  const storedBy = deadlineAt - ANSWER_MS + STORED_MS
  const checks = await withDeadline(ctx.clock, findChecks(ctx, address, null), storedBy)
  const { isRole } = classifyAddress(address)
  if (checks)
    return {
      syntaxValid: true,
      suggestion: checks.did_you_mean,
      isDisposable: checks.is_disposable,
      isRole,
      acceptsMail: acceptsMail(checks.mx_kind),
      status: checks.status,
    }
  const route = await withDeadline(ctx.clock, findMailRoute(ctx.dns, address.domain), deadlineAt)
  const known = route ?? undefined
  return {
    syntaxValid: true,
    suggestion: didYouMean(address, known),
    isDisposable: classifyByHosts(address, mailHostsOf(known)).isDisposable,
    isRole,
    acceptsMail: acceptsMail(route && mxKindOf(route)),
    status: null,
  }
}

/** A domain whose mail hosts are out of order may repair them, so it still takes mail. */
function acceptsMail(kind: MxKind | null): boolean | null {
  return kind && (kind === "mx" || kind === "implicit_mx")
}

/** Returns the live verdict. Null when the account has no credit or request left: the form then does without it. */
async function findStatus(
  ctx: Context,
  meter: UsageMeter,
  { address, caller, timeoutMs }: { address: ValidAddress; caller: Member; timeoutMs: number },
) {
  const { accountId } = caller
  ctx.queueEntry.deadlineAt = ctx.clock.now() + timeoutMs
  const known = findKnown(ctx, { accountId, address })
  try {
    const input = { address, smtp: true, checks: MAILBOX_ONLY, accountId, known, timeoutMs }
    const [neutral, { accountFlags }] = await Promise.all([verify(ctx, meter, input), known])
    // The history has what the account knows of the address. The visitor gets the neutral status.
    recordHistory(ctx, meter, { caller, verifications: [withAccountFlags(neutral, accountFlags)] })
    return neutral.verdict.status
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

interface FormCall {
  readonly keyId: string
  readonly policy: FormPolicy
  /** Undefined when the platform does not report it. All such visitors count as one. */
  readonly clientIp: string | undefined
}

/**
 * Counts a call against its visitor's minute, then against the key's day, both exactly. A refused visitor uses nothing of
 * the budget. @throws AppError rate_limited
 */
async function countFormCall(
  { digests, keyLimiters }: Pick<Context, "digests" | "keyLimiters">,
  { keyId, policy, clientIp }: FormCall,
): Promise<void> {
  const visitor = await digests.of("network", clientNetwork(clientIp))
  const { perMinute, dailyBudget } = policy
  const counted = await keyLimiters.ofForm(keyId).countFormCall({ visitor, perMinute, dailyBudget })
  if (counted.accepted) return
  const seconds = Math.ceil(counted.retryAfterMs / 1000)
  if (counted.limit === "day") throw tooMany(seconds, "budget_exceeded", "the daily budget of this key is used up")
  throw tooMany(seconds, "minute_exceeded")
}
