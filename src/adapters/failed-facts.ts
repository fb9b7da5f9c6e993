import type { FactName } from "../domain/verification/evidence.ts"
import { FAILED_LOOKUP_MS } from "../domain/verification/lifetime.ts"
import { Memo } from "./cache/memo.ts"

/**
 * Facts of domains that could not be determined just now. Each isolate remembers its own: they say nothing about the
 * domain, so the database does not store them.
 */
export interface FailedFacts {
  /** Whether the lookup failed so recently that it is not repeated yet. */
  has(domain: string, name: FactName): boolean
  add(domain: string, name: FactName): void
}

/** @param now Unix ms */
export function createFailedFacts(now: () => number): FailedFacts {
  const failures = new Memo<true>({ capacity: 10_000, ttlMs: FAILED_LOOKUP_MS })
  return {
    has: (domain, name) => failures.get(keyOf(domain, name), now()) ?? false,
    add: (domain, name) => failures.set(keyOf(domain, name), true, now()),
  }
}

const keyOf = (domain: string, name: FactName) => `${name} ${domain}`
