import type { Checks } from "../../api/shapes.ts"
import { STATUS_WORDS } from "../../words.ts"

/** The filters of the API, for the table and for the file alike. */
export const FILTERS = [
  ["all", "All rows"],
  ["can_send", "Sendable"],
  ["valid", STATUS_WORDS.valid],
  ["risky", "Risky"],
  ["accept_all", STATUS_WORDS.accept_all],
  ["unknown", STATUS_WORDS.unknown],
  ["invalid", "Invalid or malformed"],
  ["disposable", "Disposable"],
  ["role", "Role addresses"],
  ["free", "Free providers"],
] as const
export type Filter = (typeof FILTERS)[number][0]

type Filtered = Pick<Checks, "status" | "can_send" | "is_disposable" | "is_role_account" | "is_free_provider">

/** Whether a result passes a filter, as the API decides it. */
export function passes(filter: Filter, row: Filtered): boolean {
  switch (filter) {
    case "all":
      return true
    case "can_send":
      return row.can_send
    case "risky":
      return (
        row.status === "accept_all" ||
        (row.status === "valid" && (!row.can_send || row.is_disposable || row.is_role_account))
      )
    case "invalid":
      return row.status === "invalid" || row.status === "invalid_syntax"
    case "disposable":
      return row.is_disposable
    case "role":
      return row.is_role_account
    case "free":
      return row.is_free_provider
    case "valid":
    case "accept_all":
    case "unknown":
      return row.status === filter
  }
}
