/** Whether an address is in known breaches, and in how many. */
export interface BreachFinding {
  readonly found: boolean
  readonly count: number
}
