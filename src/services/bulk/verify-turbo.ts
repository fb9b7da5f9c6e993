import type { StoredResult } from "../../adapters/store/results.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { shownText } from "../../domain/address/shown-email.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { split } from "../../domain/bulk/split.ts"
import { isTemporary } from "../../domain/bulk/temporary.ts"
import { mailboxOf, withoutDuplicates } from "../../domain/bulk/unique.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { type Standing, standingAmong } from "../../domain/suppression/mark.ts"
import { type Brief, briefOf, storedBrief } from "../../domain/verdict/brief.ts"
import { reassess, type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { charge } from "../accounts/charge.ts"
import { findStandings, type StandingNeeds } from "../suppression/find-standing.ts"
import { type VerifyManyNeeds, verifyMany } from "../verification/verify-many.ts"
import { type FinishLaterNeeds, finishLater } from "./finish-later.ts"

type Needs = VerifyManyNeeds & StandingNeeds & FinishLaterNeeds & Pick<Deps, "meter" | "background">

export interface TurboInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  readonly deduplicate: boolean
  /** Whom the work left over belongs to. */
  readonly accountId: string | null
}

export interface TurboAnswer {
  readonly briefs: readonly Brief[]
  readonly duplicates: number
  readonly cacheHits: number
  readonly freshVerified: number
  readonly elapsedMs: number
}

interface Entry {
  readonly email: string
  readonly address: ReturnType<typeof parseAddress>
}
type WellFormed = Entry & { readonly address: ValidAddress }

/** Clients give up after 60 s. */
const BUDGET_MS = 55_000
/** A Worker waits for the headers of six connections at a time; each stream serves many addresses. */
const STREAMS = { parts: 6, atLeast: 100 } as const

/**
 * Verifies up to 5,000 addresses in the call: what the store knows is read first, the rest asked in at most six streams,
 * each with whole domains. What the budget does not suffice for comes back unknown, unpaid, and is finished later.
 */
export async function verifyTurbo(needs: Needs, input: TurboInput): Promise<TurboAnswer> {
  const startedAt = needs.clock.now()
  const given = input.emails.map((email) => ({ email, address: parseAddress(email) }))
  const entries: Entry[] = input.deduplicate ? withoutDuplicates(given) : given
  const wellFormed = entries.filter((entry): entry is WellFormed => entry.address.ok)
  const keys = [...new Set(wellFormed.map(({ address }) => mailboxOf(address)))]
  const addresses = wellFormed.map(({ address }) => address)
  const [stored, standings] = await Promise.all([
    needs.resultLists.briefsAmong(keys, startedAt),
    findStandings(needs, { accountId: input.accountId, addresses }),
  ])
  const missing = wellFormed.filter(({ address }) => !stored.has(mailboxOf(address)))
  const [asked, received] = await Promise.all([
    verifyMissing(needs, input, { missing, wallAt: startedAt + BUDGET_MS }),
    storedOfReceived(needs, [...stored.keys()], standings),
  ])

  const briefs = entries.map(({ email, address }) => {
    const known = stored.get(mailboxOf(address))
    const standing = standingAmong(standings, address)
    const verification = asked.get(email) ?? received.get(mailboxOf(address))
    if (verification && address.ok)
      return { ...briefOf(withStanding(verification, standing), email), email: address.normalized }
    if (known && address.ok) return storedBrief(address.normalized, known, standing.isSuppressed)
    return malformedBrief(email)
  })
  return {
    briefs,
    duplicates: given.length - entries.length,
    cacheHits: wellFormed.length - missing.length,
    freshVerified: missing.filter(({ email }) => asked.get(email)?.verdict.status !== "unknown").length,
    elapsedMs: needs.clock.now() - startedAt,
  }
}

/** The stored results whose mail has been received, in full: status and score alone do not tell what that adds to them. */
async function storedOfReceived(
  needs: Needs,
  keys: readonly string[],
  standings: ReadonlyMap<string, Standing>,
): Promise<Map<string, Verification>> {
  const wanted = keys.filter((key) => standings.get(key)?.isReceived)
  const found = wanted.length > 0 ? await needs.resultLists.among(wanted) : new Map<string, StoredResult>()
  return new Map([...found].map(([key, result]) => [key, reassess(result, parseAddress(key))]))
}

/** By the address as it was given. */
async function verifyMissing(
  needs: Needs,
  { smtp, accountId }: TurboInput,
  { missing, wallAt }: { missing: readonly WellFormed[]; wallAt: number },
): Promise<Map<string, Verification>> {
  if (missing.length === 0) return new Map()
  const byDomain = missing.toSorted((a, b) => compare(a.address.domain, b.address.domain))
  const parts = split(byDomain, STREAMS)
  const price = { most: missing.length * CREDITS.verification, costOf: creditsFor }
  const verified = await charge(needs, price, async () => {
    const lists = await Promise.all(
      parts.map((part) => {
        const emails = part.map(({ email }) => email)
        return verifyMany(needs, { emails, smtp, wallAt, priority: "bulk", serve: "nothing" })
      }),
    )
    return lists.flat()
  })
  const found = new Map(byDomain.map(({ email }, index) => [email, verified[index]!]))
  const unfinished = smtp ? [...found].filter(([, { verdict }]) => isTemporary(verdict)).map(([email]) => email) : []
  if (unfinished.length > 0) needs.background(finishLater(needs, { emails: unfinished, accountId }))
  return found
}

function malformedBrief(email: string): Brief {
  return {
    email: shownText(email),
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
