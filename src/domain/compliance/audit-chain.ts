import type { AuditAction } from "../../../schema/vocabulary.ts"
import { sha256 } from "../accounts/crypto.ts"

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>

/** One audited action. Contains no addresses: people appear as keyed hashes. */
export interface AuditEntry {
  readonly actor: string
  readonly action: AuditAction
  readonly subject: string
  readonly details: AuditDetails
  /** Unix milliseconds. */
  readonly at: number
}

export interface AuditRow extends AuditEntry {
  /** From 1, without gaps. */
  readonly seq: number
  readonly prevHash: string
  readonly hash: string
}

export type ChainLink = Pick<AuditRow, "seq" | "hash">

/** The link before the first row. */
export const CHAIN_START: ChainLink = { seq: 0, hash: "0".repeat(64) }

export async function linkEntry(entry: AuditEntry, previous: ChainLink): Promise<AuditRow> {
  const { at, actor, action, subject, details } = entry
  const content = { seq: previous.seq + 1, at, actor, action, subject, details }
  return { ...content, prevHash: previous.hash, hash: await sha256(`${previous.hash}${canonicalJson(content)}`) }
}

/** Verifies rows that follow `previous`. @returns the first wrong sequence number; null when all are valid */
export async function findBreak(rows: readonly AuditRow[], previous: ChainLink): Promise<number | null> {
  // Each row is linked to the stored row before it, so all can be hashed in parallel.
  const expected = await Promise.all(rows.map((row, at) => linkEntry(row, rows[at - 1] ?? previous)))
  const wrong = expected.find(({ seq, prevHash, hash }, at) => {
    const row = rows[at]!
    return row.seq !== seq || row.prevHash !== prevHash || row.hash !== hash
  })
  return wrong?.seq ?? null
}

/** JSON with sorted names and no white space (RFC 8785, for the values an entry can hold). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}
