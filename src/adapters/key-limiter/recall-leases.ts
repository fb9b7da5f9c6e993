import type { LeaseStore } from "../store/accounts/leases.ts"
import type { LedgerLease } from "../store/accounts/ledger-sql.ts"

interface RecallDeps {
  /** The limiter with this id; null when it belongs to another installation. */
  readonly limiterOf: (gate: string) => { recall(ids: readonly string[]): boolean | Promise<boolean> } | null
  readonly settle: LeaseStore["settle"]
}

/**
 * Makes each limiter return the rest of its leases. A limiter of another installation, as after a restore, returns
 * nothing: its leases end at no cost. @returns whether credits were given back
 */
export async function recallLeases(
  leases: readonly LedgerLease[],
  { limiterOf, settle }: RecallDeps,
): Promise<boolean> {
  const gates = [...new Set(leases.map(({ gate }) => gate))]
  const given = await Promise.all(
    gates.map(async (gate) => {
      const ids = leases.filter((lease) => lease.gate === gate).map(({ id }) => id)
      const limiter = limiterOf(gate)
      if (limiter) return limiter.recall(ids)
      await settle(ids.map((id) => ({ id, keep: 0, paid: 0 })))
      return true
    }),
  )
  return given.includes(true)
}
