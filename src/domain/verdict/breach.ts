/** What a search of the breach sources found; else why it found nothing out. */
export type BreachResult = BreachFinding | "not_configured" | "no_answer"

/** Whether an address is in known breaches, and in how many. */
export interface BreachFinding {
  readonly found: boolean
  readonly count: number
}
