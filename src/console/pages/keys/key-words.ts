import type { Key } from "../../api/shapes.ts"
import type { Tone } from "../../parts/badge.tsx"

/** @returns the state of a key in a word, with the color of its badge */
export function stateOf(key: Key): readonly [words: string, tone: Tone] {
  return key.is_active === 1 ? ["Active", "valid"] : ["Revoked", "unknown"]
}

/** Whether the key can be used, changed, rotated and revoked. */
export const isInUse = (key: Key): boolean => key.is_active === 1

/** Link to the page of a key. */
export const keyLink = (keyId: string): string => `#/keys/${encodeURIComponent(keyId)}`

const SHORT_DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" })
/** "Nov 24". @param date a UTC day such as "2026-11-24" */
export const shortDay = (date: string): string => SHORT_DAY.format(new Date(date))
