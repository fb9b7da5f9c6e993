import type { FactName, FactValues } from "./evidence.ts"

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

/** Lifetime of each fact, in ms. */
const LIFETIMES_MS: Readonly<Record<FactName, number>> = {
  route: HOUR,
  exchangers: HOUR,
  spf: HOUR,
  dkim: DAY,
  dmarc: DAY,
  mtaSts: DAY,
  bimi: DAY,
  registration: 30 * DAY,
  web: 7 * DAY,
  rbl: 6 * HOUR,
}

/** A failed lookup is repeated soon: it says nothing about the domain. */
export const FAILED_LOOKUP_MS = 60 * SECOND

/** Lifetime of a fact in the store, in ms; 0 when it must not be stored. */
export function factLifetimeMs<Name extends FactName>(name: Name, value: FactValues[Name] | null): number {
  if (value === null) return 0
  if (name === "route" && (value as FactValues["route"]).kind === "dns_failure") return 0
  if (name === "registration" && (value as FactValues["registration"]).kind === "unknown") return DAY
  if (name === "rbl" && (value as FactValues["rbl"]).checked.length === 0) return FAILED_LOOKUP_MS
  return LIFETIMES_MS[name]
}
