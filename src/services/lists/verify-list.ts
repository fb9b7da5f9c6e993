import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { StoredBrief, StoredResult } from "../../adapters/store/verification/results.ts"
import type { Context } from "../../context.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { type ParsedAddress, parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import { split } from "../../domain/lists/job.ts"
import { mailboxOf, readEntries, withoutDuplicates } from "../../domain/lists/list-addresses.ts"
import { type AccountFlags, accountFlagsIn, NO_ACCOUNT_FLAGS } from "../../domain/suppression/flags.ts"
import { type Brief, briefOf, storedBrief } from "../../domain/verification/checks.ts"
import { isTemporary } from "../../domain/verification/next-attempt.ts"
import { reassess, type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { chargeCredits, countTestAddresses, pricesFor } from "../accounts/charge.ts"
import { findManyAccountFlags } from "../suppression/flags.ts"
import { readSummaries } from "../verification/known.ts"
import { verifyMany } from "../verification/verify-many.ts"
import { enqueueLeftovers } from "./internal-jobs.ts"

interface ListInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  readonly deduplicate: boolean
  /** Addresses verified at a time, null to let the nodes decide. */
  readonly maxConcurrent: number | null
  readonly checkSuppression: boolean
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/** Below the client's timeout of 60 s. */
const BUDGET_MS = 55_000

/** Verifies a short list within the call, without stored results. The list is charged or refused as a whole. */
export async function verifyList(ctx: Context, meter: UsageMeter, input: ListInput): Promise<Verification[]> {
  const deadlineAt = ctx.clock.now() + BUDGET_MS
  const given = readEntries(input.emails)
  const entries = input.deduplicate ? withoutDuplicates(given) : given
  const addresses = entries.flatMap(({ address }) => (address.ok ? [address] : []))
  const verifyAll = async () => {
    const { smtp, accountId } = input
    const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
    const width = input.maxConcurrent ?? entries.length
    const verified: Verification[] = []
    for (let at = 0; at < entries.length; at += width) {
      const part = entries.slice(at, at + width).map(({ address }) => address)
      verified.push(
        ...(await verifyMany(ctx, {
          addresses: part,
          accountId,
          smtp,
          deadlineAt,
          priority: "interactive",
          serve: "nothing",
        })),
      )
    }
    return { verified, flagsByKey }
  }
  if (addresses.length === 0) await meter.authorize()
  const prices = pricesFor(ctx, input.accountId)
  // The price is that of the verifications. The account's reports change its answers, not what was verified.
  const costOf = ({ verified }: { verified: Verification[] }) => prices.of(verified)
  await countTestAddresses(ctx, meter, addresses.filter(prices.isFree).length)
  const { verified, flagsByKey } =
    addresses.length === 0
      ? await verifyAll()
      : await chargeCredits(meter, { most: prices.most(addresses), costOf }, verifyAll)
  return verified.map((one) => {
    const accountFlags = accountFlagsIn(flagsByKey, one.evidence.address)
    return withAccountFlags(one, input.checkSuppression ? accountFlags : { ...accountFlags, isSuppressed: false })
  })
}

interface TurboInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  readonly deduplicate: boolean
  /** The owner of the leftover work. */
  readonly accountId: string | null
}

interface Entry {
  readonly email: string
  readonly rows: readonly number[]
  readonly address: ParsedAddress
}
type WellFormed = Entry & { readonly address: ValidAddress }

/** A Worker has at most six connections that wait for headers. Each stream serves many addresses. */
const STREAMS = { parts: 6, atLeast: 100 } as const

/**
 * Verifies up to 5,000 addresses within the call. Stored results come first, then at most six streams probe the rest,
 * each with whole domains. Addresses beyond the time budget are unknown and free, and a later job verifies them.
 */
export async function verifyTurbo(ctx: Context, meter: UsageMeter, input: TurboInput) {
  const startedAt = ctx.clock.now()
  const given = readEntries(input.emails)
  const entries: Entry[] = input.deduplicate
    ? withoutDuplicates(given)
    : given.map((entry, row) => ({ ...entry, rows: [row] }))
  const wellFormed = entries.filter((entry): entry is WellFormed => entry.address.ok)
  const addresses = wellFormed.map(({ address }) => address)
  const [stored, flagsByKey] = await Promise.all([
    readSummaries(ctx, { accountId: input.accountId, addresses }),
    findManyAccountFlags(ctx, { accountId: input.accountId, addresses }),
  ])
  const missing = wellFormed.filter(({ address }) => !stored.has(mailboxOf(address)))
  const [asked, judged] = await Promise.all([
    verifyMissing(ctx, meter, { ...input, missing, deadlineAt: startedAt + BUDGET_MS }),
    judgeStored(ctx, stored, flagsByKey),
  ])

  const presented = ({ email, address }: Entry): Brief => {
    const known = stored.get(mailboxOf(address))
    const accountFlags = accountFlagsIn(flagsByKey, address)
    const verification = asked.get(email) ?? judged.get(mailboxOf(address))
    if (verification && address.ok) return briefOf(withAccountFlags(ofAddress(verification, address), accountFlags))
    if (known && address.ok) return storedBrief(address, known, accountFlags)
    return malformedBrief(address)
  }
  const unknown = missing.filter(({ email }) => asked.get(email)?.verdict.status === "unknown").length
  return {
    // With the positions of the address in the request, from 0.
    briefs: entries.map((entry) => ({ ...presented(entry), rows: entry.rows })),
    duplicates: given.length - entries.length,
    cacheHits: wellFormed.length - missing.length,
    freshVerified: missing.length - unknown,
    unknown,
    malformed: entries.length - wellFormed.length,
    elapsedMs: ctx.clock.now() - startedAt,
  }
}

/**
 * Judges stored results from their evidence where the stored score may not be the current one: the active classifier
 * scores an accept-all address, and the account's own reports change the assessment.
 */
async function judgeStored(
  ctx: Context,
  stored: ReadonlyMap<string, StoredBrief>,
  flagsByKey: ReadonlyMap<string, AccountFlags>,
): Promise<Map<string, Verification>> {
  const isReported = ({ isReceived, hasBounced }: AccountFlags) => isReceived || hasBounced
  const wanted = [...stored].flatMap(([key, { status }]) =>
    status === "accept_all" || isReported(flagsByKey.get(key) ?? NO_ACCOUNT_FLAGS) ? [key] : [],
  )
  const found = wanted.length > 0 ? await ctx.store.resultLists.findMany(wanted) : new Map<string, StoredResult>()
  return new Map([...found].map(([key, result]) => [key, reassess(result, parseAddress(key))]))
}

/** Verifies the missing addresses. The map's key is the address as given. */
async function verifyMissing(
  ctx: Context,
  meter: UsageMeter,
  { smtp, accountId, missing, deadlineAt }: TurboInput & { missing: readonly WellFormed[]; deadlineAt: number },
): Promise<Map<string, Verification>> {
  if (missing.length === 0) return new Map()
  const byDomain = missing.toSorted((a, b) => compare(a.address.domain, b.address.domain))
  const parts = split(byDomain, STREAMS)
  const prices = pricesFor(ctx, accountId)
  const asked = missing.map(({ address }) => address)
  await countTestAddresses(ctx, meter, asked.filter(prices.isFree).length)
  const price = { most: prices.most(asked), costOf: prices.of }
  const verified = await chargeCredits(meter, price, async () => {
    const lists = await Promise.all(
      parts.map((part) => {
        const addresses = part.map(({ address }) => address)
        return verifyMany(ctx, { addresses, accountId, smtp, deadlineAt, priority: "bulk", serve: "nothing" })
      }),
    )
    return lists.flat()
  })
  const found = new Map(byDomain.map(({ email }, index) => [email, verified[index]!]))
  const unfinished = smtp ? [...found].filter(([, one]) => isTemporary(one)).map(([email]) => email) : []
  if (unfinished.length > 0) ctx.background(enqueueLeftovers(ctx, { emails: unfinished, accountId }))
  return found
}

/** The result of another spelling of the mailbox, for this one. */
function ofAddress(verification: Verification, address: ValidAddress): Verification {
  return { ...verification, evidence: { ...verification.evidence, address } }
}

function malformedBrief(address: ParsedAddress): Brief {
  return {
    email: shownEmail(address),
    repaired: [],
    didYouMean: didYouMean(address, undefined),
    deliverable: false,
    canSend: false,
    status: "invalid_syntax",
    score: 0,
    grade: "F",
    cached: false,
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
