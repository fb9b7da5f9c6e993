import { SUPPRESSION_REASONS, type SuppressionReason } from "../../../schema/vocabulary.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressInCell } from "../../domain/bulk/cell-address.ts"
import { readDate } from "../../domain/feedback/read-date.ts"
import { parseSuppressedDomain, type Suppressed } from "../../domain/feedback/suppression.ts"
import { DAY_MS } from "../../domain/time.ts"
import { explainProblem } from "../../domain/typo/did-you-mean.ts"
import type { End, ToSuppress } from "./suppress.ts"

const MAX_SOURCE = 200
const MAX_DAYS = 3_650

export interface ImportDefaults {
  readonly reason: SuppressionReason
  readonly source: string | null
}

/** Column indexes in a row, -1 for a missing column. */
export interface Columns {
  readonly email: number
  readonly domain: number
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

/** Reads the entry of a row, or the reason for its rejection. */
export function readRow(record: readonly string[], columns: Columns, { defaults, now }: Reading): ToSuppress | string {
  const cell = (at: number) => (at < 0 ? "" : (record[at] ?? "").trim())
  const one = readSuppressed(record[columns.email] ?? "", cell(columns.domain))
  if (typeof one === "string") return one
  const reason = cell(columns.reason)
  const known = SUPPRESSION_REASONS.find((one) => one === reason.toLowerCase())
  if (reason !== "" && !known) return `reason must be one of ${SUPPRESSION_REASONS.join(", ")}`
  const end = readEnd({ days: cell(columns.days), moment: cell(columns.moment) }, now)
  if (typeof end === "string") return end
  return {
    ...one,
    reason: known ?? defaults.reason,
    source: cell(columns.source).slice(0, MAX_SOURCE).toWellFormed() || defaults.source,
    end,
  }
}

/**
 * Reads what a row suppresses, or the reason for its rejection. Only "*@example.com" and "@example.com" name a domain:
 * many tables have a column with the bare domain of an address or a company.
 */
function readSuppressed(email: string, domain: string): Suppressed | string {
  const isRule = /^\*?@/.test(domain)
  if (isRule && email.trim() !== "") return "email and domain exclude each other; send one"
  if (isRule) {
    const parsed = parseSuppressedDomain(domain)
    return parsed.ok ? { wholeDomain: parsed.domain } : `not a domain: ${parsed.message}`
  }
  if (email.trim() === "" && domain !== "")
    return `write *@${domain.slice(0, 253)} to suppress every address of the domain`
  const address = parseAddress(addressInCell(email))
  return address.ok ? { address } : `not an address: ${explainProblem(address)}`
}

/** Reads the end of the row's entry, or the reason for its rejection. */
function readEnd({ days, moment }: { days: string; moment: string }, now: number): End | string {
  if (days !== "" && moment !== "") return "expires_at and expires_in_days exclude each other; send one"
  if (moment !== "") return readMoment(moment, now)
  if (days === "") return null
  if (/^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS) return { days: Number(days) }
  return `expires_in_days must be a whole number from 1 to ${MAX_DAYS}`
}

function readMoment(moment: string, now: number): End | string {
  const at = readDate(moment, now)
  if (at === null) return "expires_at is not an unambiguous date"
  if (at <= now) return "expires_at is in the past"
  return at <= now + MAX_DAYS * DAY_MS ? { at } : `expires_at must be within ${MAX_DAYS} days`
}
