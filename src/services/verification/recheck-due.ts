import type { Recheck } from "../../adapters/store/results/rechecks.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { nextCheckAt } from "../../domain/verdict/recheck.ts"
import { verifyMany } from "./verify-many.ts"

const PER_RUN = 500
const BUDGET_MS = 45_000
/** A crashed run is repeated after this time. */
const LEASE_MS = 5 * 60_000

/**
 * Probes deferred addresses again. Greylisting identifies a sender by node, source IP, HELO and MAIL FROM, so these
 * stay the same (RFC 6647 §2.2). @returns how many addresses were due
 */
export async function recheckDue(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  const due = await ctx.store.rechecks.lease({ now, againAt: now + LEASE_MS, limit: PER_RUN })
  if (due.length === 0) return 0
  const emails = due.map(({ address }) => address)
  const before = await evidenceOf(ctx, due)
  const verifications = await verifyMany(ctx, {
    emails,
    accountId: null,
    before,
    smtp: true,
    deadlineAt: now + BUDGET_MS,
    priority: "bulk",
    serve: "nothing",
  })
  const turns = verifications.map(({ verdict, verifiedAt }, index) => {
    const { address, attempt } = due[index]!
    const next = { attempt: attempt + 1, from: verifiedAt, delaysMs: ctx.config.recheckDelaysMs }
    return { address, attempt: next.attempt, dueAt: nextCheckAt(verdict, next) }
  })
  await ctx.store.rechecks.postpone(turns.flatMap(({ dueAt, ...turn }) => (dueAt === null ? [] : [{ ...turn, dueAt }])))
  await ctx.store.rechecks.remove(turns.flatMap(({ address, dueAt }) => (dueAt === null ? [address] : [])))
  return due.length
}

/** Returns the previous evidence of each address, by index. */
async function evidenceOf(ctx: Context, due: readonly Recheck[]): Promise<Map<number, Evidence>> {
  const keys = due.map(({ address }) => {
    const parsed = parseAddress(address)
    return parsed.ok ? cacheKey(parsed) : ""
  })
  const stored = await ctx.store.resultLists.among(keys)
  return new Map(keys.flatMap((key, index) => (stored.has(key) ? [[index, stored.get(key)!.evidence] as const] : [])))
}
