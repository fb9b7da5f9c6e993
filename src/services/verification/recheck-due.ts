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
  const done: string[] = []
  for (const [index, { verdict, verifiedAt }] of verifications.entries()) {
    const { address, attempt } = due[index]!
    const dueAt = nextCheckAt(verdict, { attempt: attempt + 1, from: verifiedAt, delaysMs: needs.recheckDelaysMs })
    if (dueAt === null) done.push(address)
    else await needs.rechecks.postpone(address, { attempt: attempt + 1, dueAt })
  }
  await needs.rechecks.forget(done)
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
