import type { Key, Restrictions } from "../../api/shapes.ts"
import type { Tone } from "../../parts/badge.tsx"
import { count, day } from "../../words.ts"
import { SCOPES } from "./restrictions.ts"

/** @returns the state of a key in a word, with the color of its badge */
export function stateOf(key: Key): readonly [words: string, tone: Tone] {
  if (key.is_active !== 1) return ["Revoked", "unknown"]
  return key.expired ? ["Expired", "accept_all"] : ["Active", "valid"]
}

/** Whether the key can be changed, rotated and revoked. An expired key can: a later expiry revives it. */
export const isInUse = (key: Key): boolean => key.is_active === 1

const LIST = new Intl.ListFormat("en")

/** Whether a key is publishable, by its text. */
export const isForForms = (apiKey: string): boolean => apiKey.startsWith("mv_pk_")

/** The key as its owner recognizes it. */
export const shortened = ({ kind, last4 }: Key): string => `${kind === "publishable" ? "mv_pk_" : "mv_live_"}…${last4}`

/** "12 of 1,000 answers today"; empty for a secret key. */
export const todayOf = ({ used_today: used, daily_budget: budget }: Key): string =>
  used === null || budget === null ? "" : `${count(used)} of ${count(budget)} answers today`

/** "Verify and Lists only, until Mar 3, 2027, from 2 networks"; empty without restrictions. */
export function inBrief(key: Key): string {
  const { kind, expires_at, scopes, allowed_networks, allowed_origins } = key
  const parts = [
    kind === "publishable" && "forms only",
    scopes && scopes.length > 0 && `${LIST.format(scopeNames(scopes))} only`,
    expires_at && `until ${day(expires_at)}`,
    allowed_networks && `from ${amountOf(allowed_networks, "network")}`,
    allowed_origins && `on ${amountOf(allowed_origins, "website")}`,
    todayOf(key),
  ]
  const brief = parts.filter(Boolean).join(", ")
  return `${brief.slice(0, 1).toUpperCase()}${brief.slice(1)}`
}

/** The names of scopes, in the order of the form. */
export const scopeNames = (scopes: NonNullable<Restrictions["scopes"]>): readonly string[] =>
  SCOPES.filter(([scope]) => scopes.includes(scope)).map(([, name]) => name)

const amountOf = ({ length }: readonly string[], word: string) => `${length} ${word}${length === 1 ? "" : "s"}`

/** Link to the page of a key. */
export const keyLink = (keyId: string): string => `#/keys/${encodeURIComponent(keyId)}`
