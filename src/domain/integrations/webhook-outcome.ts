import type { AttemptOutcome } from "../../../schema/vocabulary.ts"

/** Outcome of a receiver's response: only 2xx is a success. @param status HTTP */
export function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return "delivered"
  if (status === 410) return "gone"
  return status >= 300 && status < 400 ? "redirected" : "refused"
}
