import type { DatabaseProblem, Ownership } from "../domain/admin/installation.ts"

/** The result of a test of the database. */
export interface DatabaseCheck {
  /** Null when it works. */
  readonly problem: DatabaseProblem | null
  /** For the operator: what is wrong and what to do. Null without a problem. */
  readonly explanation: string | null
  /** Duration of the read in milliseconds. */
  readonly ms: number
}

/** What this isolate last learned about its database. Plain values, so that requests may share them. Times are Unix ms. */
export interface DatabaseMemory {
  /** Null until the database was read. */
  ownership: Ownership | null
  /** For the operator, when the database is foreign. */
  explanation: string
  /** The last attempt to read the ownership that gave no result or a refusal. */
  refusedAt: number
  check: DatabaseCheck | null
  checkedAt: number
  /** Another request tests the database until then at the latest. */
  checkingUntil: number
}

export function newDatabaseMemory(): DatabaseMemory {
  const never = Number.NEGATIVE_INFINITY
  return { ownership: null, explanation: "", refusedAt: never, check: null, checkedAt: never, checkingUntil: never }
}
