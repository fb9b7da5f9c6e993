import type { Recheck } from "../../adapters/store/verification/pending.ts"
import { DATABASE_WAIT_MS, whenAvailable, whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import { RUN_LEASE } from "../../domain/lease.ts"
import type { StoredEvidence } from "../../domain/verification/evidence.ts"
import { nextAttempt } from "../../domain/verification/next-attempt.ts"
import { storeVerifications } from "./settle.ts"
import { findMany } from "./verify-many.ts"

const PER_RUN = 500
const BUDGET_MS = 45_000

/**
 * Probes deferred addresses again. Greylisting identifies a sender by node, source IP, HELO and MAIL FROM, so these
 * stay the same (RFC 6647 §2.2). @returns how many addresses were due
 */
export async function recheckDue(ctx: Context): Promise<number> {
  const { clock } = ctx
  const { rechecks } = ctx.store
  const now = clock.now()
  const due = await rechecks.lease({ now, againAt: now + RUN_LEASE.ms, limit: PER_RUN })
  if (due.length === 0) return 0
  const addresses = due.map(({ address }) => address)
  const renew = () => rechecks.renew(addresses, clock.now() + RUN_LEASE.ms)
  await whileRepeating(clock, { everyMs: RUN_LEASE.renewEveryMs, repeat: renew }, () =>
    recheck(ctx, due, now + BUDGET_MS),
  )
  return due.length
}

async function recheck(ctx: Context, due: readonly Recheck[], deadlineAt: number): Promise<void> {
  const addresses = due.map(({ address }) => parseAddress(address))
  const found = await findMany(ctx, {
    addresses,
    accountId: null,
    before: await evidenceOf(ctx, addresses),
    smtp: true,
    deadlineAt,
    priority: "bulk",
    serve: "nothing",
  })
  const policy = { of: "address", delaysMs: ctx.config.recheckDelaysMs } as const
  const attempts = found.verifications.map(({ verdict, verifiedAt }, index) => {
    const { address, attempt } = due[index]!
    const wait = nextAttempt(verdict, attempt + 1, policy)
    return { address, attempt: attempt + 1, dueAt: wait === null ? null : verifiedAt + wait }
  })
  const { rechecks } = ctx.store
  await whenAvailable(ctx.clock, ctx.clock.now() + DATABASE_WAIT_MS, async () => {
    await storeVerifications(ctx, found.fresh, found.storedFor)
    await rechecks.postpone(attempts.flatMap(({ dueAt, ...next }) => (dueAt === null ? [] : [{ ...next, dueAt }])))
    await rechecks.remove(attempts.flatMap(({ address, dueAt }) => (dueAt === null ? [address] : [])))
  })
}

/** Returns the previous evidence of each address, by index. */
async function evidenceOf(ctx: Context, due: readonly ParsedAddress[]): Promise<Map<number, StoredEvidence>> {
  const keys = due.map((address) => (address.ok ? cacheKey(address) : ""))
  const stored = await ctx.store.resultLists.findMany(keys, { isLookup: false })
  return new Map(keys.flatMap((key, index) => (stored.has(key) ? [[index, stored.get(key)!.evidence] as const] : [])))
}
