import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { addressInCell } from "../../domain/lists/list-addresses.ts"
import { readDate } from "../../domain/suppression/read-date.ts"
import { parseSuppressedDomain, type Suppressed } from "../../domain/suppression/suppression.ts"
import type { DetailColumns } from "../../domain/suppression/suppression-columns.ts"
import { readReason, readReasonCell } from "../../domain/suppression/suppression-reason.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { End, ToSuppress } from "./suppression-list.ts"

const MAX_SOURCE = 200
const MAX_NOTE = 500
const MAX_DAYS = 3_650
/** What exports write for an entry without an end. */
const NEVER = /^(?:never|permanent|none|null|nil|n\/a|-)$/i

export interface ImportDefaults {
  readonly reason: SuppressionReason
  readonly source: string | null
}

/** Column indexes in a row, -1 for a missing column. */
export interface Columns extends DetailColumns {
  readonly email: number
  readonly domain: number
}

/** An entry, and the words of its reason that have no known meaning. */
export interface ReadRow {
  readonly entry: ToSuppress
  readonly unknownReason: string | null
}

/** Reads the entry of a row, or why it is rejected. Words about its reason reject no row. */
export function readRow(
  record: readonly string[],
  columns: Columns,
  { defaults, now }: { defaults: ImportDefaults; now: number },
): ReadRow | string {
  const cell = (at: number) => (at < 0 ? "" : (record[at] ?? "").trim())
  const one = readSuppressed(record[columns.email] ?? "", cell(columns.domain))
  if (typeof one === "string") return one
  const endIn = (at: number) => (NEVER.test(cell(at)) ? "" : cell(at))
  const end = readEnd({ days: endIn(columns.days), moment: endIn(columns.moment) }, now)
  if (typeof end === "string") return end
  const flagged = columns.flags.flatMap(({ at, reason }) => (isSet(cell(at), now) ? [reason] : []))
  const source = cell(columns.source)
  const read = readReason(columns.reasons.map(cell))
  const known = read.reason ?? flagged[0] ?? reasonInSource(source)
  const titled = columns.titled.find(({ at }) => readReasonCell(cell(at)).kind !== "empty")
  const createdAt = readDate(cell(columns.created), now)
  const entry: ToSuppress = {
    ...one,
    reason: known ?? titled?.reason ?? defaults.reason,
    source: short(source, MAX_SOURCE) || defaults.source,
    note: short(cell(columns.note) || (read.note ?? ""), MAX_NOTE) || null,
    createdAt: createdAt === null ? null : Math.min(createdAt, now),
    end,
  }
  return { entry, unknownReason: known === null && read.unknown !== null ? short(read.unknown, MAX_SOURCE) : null }
}

const short = (text: string, most: number) => text.slice(0, most).toWellFormed()

/** Whether a cell says that its title applies: a yes, or the time since when. */
function isSet(cell: string, now: number): boolean {
  return /^(?:true|yes|y|x|1|t|ja|oui|si)$/i.test(cell) || readDate(cell, now) !== null
}

/** SparkPost's column `source` says "Bounce Rule" or "List Unsubscribe". Any word may stand in others. */
function reasonInSource(source: string): SuppressionReason | null {
  const read = readReasonCell(source)
  return read.kind === "word" && read.reason !== "manual" ? read.reason : null
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
