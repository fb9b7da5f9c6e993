import { SUPPRESSION_REASONS, type SuppressionReason } from "../../../schema/vocabulary.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { readDate } from "../../domain/feedback/read-date.ts"
import { addressInCell } from "../../domain/tables/cell-address.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { End, ToSuppress } from "./suppress.ts"

const MAX_SOURCE = 200
/** The apostrophe our own export puts in front of what a spreadsheet would take for a formula. */
const NEUTRALISED = /^'(?=[=+@-])/
const MAX_DAYS = 3_650

export interface ImportDefaults {
  readonly reason: SuppressionReason
  readonly source: string | null
}

/** Where in a row each of them stands; -1 is nowhere. */
export interface Columns {
  readonly email: number
  readonly reason: number
  readonly source: number
  readonly days: number
  readonly moment: number
}

interface Reading {
  readonly defaults: ImportDefaults
  /** Unix milliseconds. */
  readonly now: number
}

/** The entry a row asks for, or in words why it cannot be taken. */
export function readRow(record: readonly string[], columns: Columns, { defaults, now }: Reading): ToSuppress | string {
  const cell = (at: number) => (at < 0 ? "" : (record[at] ?? "").trim())
  const address = parseAddress(addressInCell(cell(columns.email).replace(NEUTRALISED, "")))
  if (!address.ok) return `not an address: ${address.message}`
  const reason = cell(columns.reason)
  const known = SUPPRESSION_REASONS.find((one) => one === reason.toLowerCase())
  if (reason !== "" && !known) return `reason must be one of ${SUPPRESSION_REASONS.join(", ")}`
  const end = readEnd({ days: cell(columns.days), moment: cell(columns.moment) }, now)
  if (typeof end === "string") return end
  return {
    address,
    reason: known ?? defaults.reason,
    source: cell(columns.source).slice(0, MAX_SOURCE).toWellFormed() || defaults.source,
    end,
  }
}

/** When the row's entry ends, or in words why that cannot be said. */
function readEnd({ days, moment }: { days: string; moment: string }, now: number): End | string {
  if (days !== "" && moment !== "") return "expires_at and expires_in_days name two ends; keep one"
  if (moment !== "") return readMoment(moment, now)
  if (days === "") return null
  if (/^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS) return { days: Number(days) }
  return `expires_in_days must be a whole number from 1 to ${MAX_DAYS}`
}

function readMoment(moment: string, now: number): End | string {
  const at = readDate(moment, now)
  if (at === null) return "expires_at is not a date that can be read without guessing"
  if (at <= now) return "expires_at lies in the past"
  return at <= now + MAX_DAYS * DAY_MS ? { at } : `expires_at must be within ${MAX_DAYS} days`
}
