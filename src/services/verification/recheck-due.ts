import type { Recheck } from "../../adapters/store/rechecks.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { nextCheckAt } from "../../domain/verdict/recheck.ts"
import { type VerifyManyNeeds, verifyMany } from "./verify-many.ts"

type Needs = VerifyManyNeeds & Pick<Deps, "rechecks" | "recheckDelaysMs">

const PER_RUN = 500
const BUDGET_MS = 45_000
/** A run that died is done again after this. */
const LEASE_MS = 5 * 60_000

/**
 * Asks again about addresses whose server said "later", from the same node, source IP, HELO and MAIL FROM: greylisting
 * knows us by them (RFC 6647 §2.2). @returns how many were asked
 */
export async function recheckDue(needs: Needs): Promise<number> {
  const now = needs.clock.now()
  const due = await needs.rechecks.take({ now, againAt: now + LEASE_MS, limit: PER_RUN })
  if (due.length === 0) return 0
  const emails = due.map(({ address }) => address)
  const before = await evidenceOf(needs, due)
  const verifications = await verifyMany(needs, {
    emails,
    before,
    smtp: true,
    wallAt: now + BUDGET_MS,
    priority: "bulk",
    serve: "nothing",
  })
  const turns = verifications.map(({ verdict, verifiedAt }, index) => {
    const { address, attempt } = due[index]!
    const next = { attempt: attempt + 1, from: verifiedAt, delaysMs: needs.recheckDelaysMs }
    return { address, attempt: next.attempt, dueAt: nextCheckAt(verdict, next) }
  })
  await needs.rechecks.postpone(turns.flatMap(({ dueAt, ...turn }) => (dueAt === null ? [] : [{ ...turn, dueAt }])))
  await needs.rechecks.forget(turns.flatMap(({ address, dueAt }) => (dueAt === null ? [address] : [])))
  return due.length
}

/** What was found about each the last time, by its place. */
async function evidenceOf({ resultLists }: Needs, due: readonly Recheck[]): Promise<Map<number, Evidence>> {
  const keys = due.map(({ address }) => {
    const parsed = parseAddress(address)
    return parsed.ok ? cacheKey(parsed) : ""
  })
  const stored = await resultLists.among(keys)
  return new Map(keys.flatMap((key, index) => (stored.has(key) ? [[index, stored.get(key)!.evidence] as const] : [])))
}
