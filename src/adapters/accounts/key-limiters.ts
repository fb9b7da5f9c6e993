import type { Rate } from "../../domain/accounts/rate-limits.ts"
import type { LeaseStore } from "../store/accounts/charges.ts"
import type { LedgerLease } from "../store/accounts/ledger-sql.ts"
import type { CountResult, FormCall, FormCallResult, KeyState, ReserveRequest, ReserveResult } from "./limiter-state.ts"

/** A rate limiter in another isolate: the same methods as network calls. */
export interface RemoteKeyLimiter {
  check(digest: string): Promise<KeyState>
  reserve(request: ReserveRequest): Promise<ReserveResult>
  /** Settles a charge that was spent from a lease. */
  settle(chargeId: string, credits: number): Promise<void>
  /** Returns the rest of these leases. @returns whether credits were given back */
  recall(ids: readonly string[]): Promise<boolean>
  count(rate: Rate, n?: number): Promise<CountResult>
  countFormCall(call: FormCall): Promise<FormCallResult>
  /** The form calls of the UTC day. */
  usedToday(): Promise<number>
  invalidate(): Promise<void>
}

/** The namespace methods that are used here. */
export interface KeyLimiterNamespace {
  idFromName(name: string): unknown
  /** @throws TypeError for an id of another namespace */
  idFromString(id: string): unknown
  get(id: unknown): RemoteKeyLimiter
}

/** Rate limiters by subject. Names are hashes or ids, never addresses. */
export type KeyLimiters = ReturnType<typeof createKeyLimiters>

export function createKeyLimiters(namespace: KeyLimiterNamespace) {
  const limiter = (name: string) => namespace.get(namespace.idFromName(name))
  return {
    /** @param digest keyed hash of the secret */
    ofKey: (digest: string): RemoteKeyLimiter => limiter(`key:${digest}`),
    /** The calls of an account in one tier, or of an anonymous network. */
    ofSubject: (subject: string): RemoteKeyLimiter => limiter(`subject:${subject}`),
    /** One action by one client: "keys:…" or "sign-in:…". */
    ofAction: (action: string): RemoteKeyLimiter => limiter(`action:${action}`),
    /** The forms of a publishable key. */
    ofForm: (keyId: string): RemoteKeyLimiter => limiter(`form:${keyId}`),
    /** Makes the limiters return what they have not spent. @returns whether credits were given back */
    recall: (leases: readonly LedgerLease[], { settle }: Pick<LeaseStore, "settle">): Promise<boolean> =>
      recallLeases(leases, { settle, limiterOf: (gate) => limiterOf(namespace, gate) }),
  }
}

/** The limiter with an id from the ledger; null for an id of another namespace, as after a restore. */
export function limiterOf(namespace: KeyLimiterNamespace, gate: string): RemoteKeyLimiter | null {
  try {
    return namespace.get(namespace.idFromString(gate))
  } catch {
    return null
  }
}

interface RecallDeps {
  /** The limiter with this id; null when it belongs to another installation. */
  readonly limiterOf: (gate: string) => { recall(ids: readonly string[]): boolean | Promise<boolean> } | null
  readonly settle: LeaseStore["settle"]
}

/** Makes each limiter return the rest of its leases. @returns whether credits were given back */
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
