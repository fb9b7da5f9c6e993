import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import { type ParsedDomain, parseDomain, type ValidAddress } from "../address/parse.ts"

/** The account id of the operator's list, which applies to all accounts. */
export const OPERATOR_LIST = "*"

/** What an entry suppresses: an address, or all addresses of a domain (A-labels), without its subdomains. */
export type Suppressed = { readonly address: ValidAddress } | { readonly wholeDomain: string }

/** A suppression: its reason and its end. */
export interface Suppression {
  readonly reason: SuppressionReason
  readonly source: string | null
  /** What an import says about the reason beside its kind. */
  readonly note: string | null
  /** Unix milliseconds, both. Null: permanent. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

export type Expiring = Pick<Suppression, "expiresAt">

/** What adding an entry changed. */
export interface Change {
  readonly change: "added" | "updated" | "unchanged"
  /** What of the active entry is stronger than the added one, and therefore stays. */
  readonly kept: readonly ("graver_reason" | "longer_time")[]
  /** The entry that is active afterwards. */
  readonly entry: Suppression
}

/** Whether an entry is active: until it expires, swept or not. @param now Unix milliseconds */
export function isActive({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt === null || expiresAt > now
}

/** Whether the reason is permanent. Only a soft bounce is temporary. */
export function shouldNeverSend({ reason }: Pick<Suppression, "reason">): boolean {
  return reason !== "soft_bounce"
}

/** Compares an added entry with the active entries before and after. @param before null without an active entry */
export function changeOf(added: Suppression, before: Suppression | null, after: Suppression): Change {
  if (!before) return { change: "added", kept: [], entry: after }
  const kept: Change["kept"][number][] = []
  if (after.reason !== added.reason) kept.push("graver_reason")
  if (after.expiresAt !== added.expiresAt) kept.push("longer_time")
  const isSame = (["reason", "source", "note", "expiresAt"] as const).every((field) => after[field] === before[field])
  return { change: isSame ? "unchanged" : "updated", kept, entry: after }
}

/** Parses a domain in the forms `example.com`, `@example.com` and `*@example.com`. */
export function parseSuppressedDomain(text: string): ParsedDomain {
  return parseDomain(text.trim().replace(/^\*?@/, ""))
}

/** The stored name of an entry: the normalized address, or "@" and the domain. */
export function storedName(one: Suppressed): string {
  return "address" in one ? one.address.normalized : `@${one.wholeDomain}`
}

/** The domain of a stored name; null for an address, which has a local part. */
export function domainOfName(name: string | null): string | null {
  return name?.startsWith("@") ? name.slice(1) : null
}
