import type { Rate } from "../../domain/accounts/window.ts"
import type { CountResult, KeyState, ReserveRequest, ReserveResult } from "./limiter-state.ts"

/** A rate limiter in another isolate: the same methods as network calls. */
export interface RemoteKeyLimiter {
  check(digest: string): Promise<KeyState>
  reserve(take: ReserveRequest): Promise<ReserveResult>
  count(rate: Rate, n?: number): Promise<CountResult>
  invalidate(): Promise<void>
}

/** The namespace methods that are used here. */
export interface KeyLimiterNamespace {
  idFromName(name: string): unknown
  get(id: unknown): RemoteKeyLimiter
}

/** Rate limiters by subject. Names are hashes or ids, never addresses. */
export interface KeyLimiters {
  /** @param digest keyed hash of the secret */
  ofKey(digest: string): RemoteKeyLimiter
  /** An account's sessions or an anonymous network. */
  ofSubject(subject: string): RemoteKeyLimiter
  /** One action by one client: "keys:…" or "sign-in:…". */
  ofAction(action: string): RemoteKeyLimiter
}

export function createKeyLimiters(namespace: KeyLimiterNamespace): KeyLimiters {
  const limiter = (name: string) => namespace.get(namespace.idFromName(name))
  return {
    ofKey: (digest) => limiter(`key:${digest}`),
    ofSubject: (subject) => limiter(`subject:${subject}`),
    ofAction: (action) => limiter(`action:${action}`),
  }
}
