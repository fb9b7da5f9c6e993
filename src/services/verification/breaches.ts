import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Breach } from "../../adapters/signals/breach-source.ts"
import type { BreachSet } from "../../adapters/store/signals/breaches.ts"
import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { breachHash } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { type AccountFlags, isHidden } from "../../domain/suppression/flags.ts"
import type { BreachFinding, BreachResult } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { chargeCredits, pricesFor } from "../accounts/charge.ts"
import { findAccountFlags } from "../suppression/flags.ts"

/** One source's answer about an address. */
interface SourceAnswer {
  readonly source: string
  readonly kind: "service" | "imported"
  /** Null when the source is unavailable. */
  readonly breaches: readonly Breach[] | null
  /** A stored answer, without a request to the source. */
  readonly isStored: boolean
  /** Unix milliseconds of the answer. */
  readonly answeredAt: number
}

interface BreachSearch {
  /** One for each configured source. */
  readonly answers: readonly SourceAnswer[]
  readonly imported: readonly BreachSet[]
  /** Null when no source is configured, or when a source failed and the others found nothing. */
  readonly finding: BreachFinding | null
}

/** Answers are stored for a week, as long as a result. */
const ANSWER_LIFETIME_MS = 7 * 24 * 3_600_000

/** Checks an address for known breaches. It costs an extra credit, but only for an answer that was fetched now. */
export function checkBreaches(
  ctx: Context,
  meter: UsageMeter,
  { address, accountId, accountFlags }: { address: ValidAddress; accountId: string | null; accountFlags: AccountFlags },
): Promise<BreachSearch> {
  const most = pricesFor(ctx, accountId).ofWork(address, CREDITS.breach)
  return chargeCredits(meter, { most, costOf }, () => findBreaches(ctx, address, accountFlags))
}

interface Beside<T> {
  readonly address: ValidAddress
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly work: () => Promise<T>
  /** The account's flags of the address. */
  readonly accountFlags: Promise<AccountFlags>
  /** Unix ms. A search that is not done by then is null and is stored for the next request. */
  readonly deadlineAt: number
}

/** Checks breaches in parallel with other work, for an extra credit. If either fails, neither is charged. */
export async function checkBreachesBeside<T>(
  ctx: Context,
  meter: UsageMeter,
  { address, accountId, work, accountFlags, deadlineAt }: Beside<T>,
): Promise<{ done: T; search: BreachSearch | null }> {
  const most = (await hasBreachSource(ctx)) ? pricesFor(ctx, accountId).ofWork(address, CREDITS.breach) : 0
  return chargeCredits(meter, { most, costOf: ({ search }) => costOf(search) }, async () => {
    const searching = accountFlags.then((known) => findBreaches(ctx, address, known))
    const [done, search] = await Promise.all([work(), withDeadline(ctx.clock, searching, deadlineAt)])
    if (!search) ctx.background(searching)
    return { done, search }
  })
}

/** @param search null when it was not done before the deadline */
export function breachResultOf(search: BreachSearch | null): BreachResult {
  return search?.finding ?? (search?.answers.length === 0 ? "not_configured" : "no_answer")
}

function costOf(search: BreachSearch | null): number {
  return search?.finding && search.answers.some(({ isStored }) => !isStored) ? CREDITS.breach : 0
}

/**
 * Returns every breach source's answer about an address, and to the operator the list of imports.
 * @throws AppError bad_request, unavailable without a source
 */
export async function findBreachIntel(
  ctx: Context,
  meter: UsageMeter,
  { email, caller }: { email: string; caller: Caller },
): Promise<BreachSearch & { readonly email: string }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", explainProblem(address))
  if (!(await hasBreachSource(ctx)))
    throw new AppError(
      "not_configured",
      "no breach source is configured: set HIBP_API_KEY, or import breaches with npm run import:breaches",
    )
  const accountId = accountOf(caller)
  const accountFlags = await findAccountFlags(ctx, { accountId, address })
  const search = await checkBreaches(ctx, meter, { address, accountId, accountFlags })
  return { ...search, imported: caller.kind === "admin" ? search.imported : [], email: address.normalized }
}

async function hasBreachSource(ctx: Context): Promise<boolean> {
  return ctx.breachService !== null || (await ctx.store.breaches.sets()).length > 0
}

/**
 * Queries every configured source about an address. An account that erased the address gets no older stored answer.
 * Without enough answers the finding is null, which means unknown and never "none".
 */
export async function findBreaches(
  ctx: Context,
  address: ValidAddress,
  { hidesUntil }: Pick<AccountFlags, "hidesUntil">,
): Promise<BreachSearch> {
  const digests = await ctx.digests.candidates("breach", await breachHash(address.normalized))
  const [service, imported] = await Promise.all([
    ctx.breachService ? queryService(ctx, { address, digests, hidesUntil }) : null,
    findImported(ctx, digests),
  ])
  const answers = [service, imported.answer].filter((answer) => answer !== null)
  return { answers, imported: imported.sets, finding: conclude(answers) }
}

async function findImported(ctx: Context, digests: readonly string[]) {
  const [sets, found] = await Promise.all([ctx.store.breaches.sets(), ctx.store.breaches.findMany(digests)])
  if (sets.length === 0) return { sets, answer: null }
  const answer: SourceAnswer = {
    source: "imported breaches",
    kind: "imported",
    breaches: found,
    isStored: false,
    answeredAt: ctx.clock.now(),
  }
  return { sets, answer }
}

async function queryService(
  ctx: Context,
  { address, digests, hidesUntil }: { address: ValidAddress; digests: readonly string[]; hidesUntil: number },
): Promise<SourceAnswer> {
  const base = { source: ctx.breachService!.name, kind: "service" } as const
  const stored = await ctx.store.breaches.answer(digests, ctx.clock.now())
  if (stored && !isHidden({ hidesUntil }, stored.answeredAt))
    return { ...base, breaches: stored.breaches, isStored: true, answeredAt: stored.answeredAt }
  const found = await ctx.breachService!.breachesOf(address.normalized)
  const answeredAt = ctx.clock.now()
  if (found) {
    const answer = { breaches: found, answeredAt, expiresAt: answeredAt + ANSWER_LIFETIME_MS }
    ctx.background(ctx.store.breaches.saveAnswer(digests[0]!, answer))
  }
  return { ...base, breaches: found, isStored: false, answeredAt }
}

function conclude(answers: readonly SourceAnswer[]): BreachFinding | null {
  const names = new Set(answers.flatMap(({ breaches }) => breaches ?? []).map(({ name }) => name))
  const isKnown = answers.length > 0 && (names.size > 0 || answers.every(({ breaches }) => breaches !== null))
  return isKnown ? { found: names.size > 0, count: names.size } : null
}
