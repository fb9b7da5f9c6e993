/** What one feature of an address added. */
export interface Contribution {
  readonly feature: string
  readonly value: number
  /** Natural log-odds it adds. */
  readonly logOdds: number
}

/** What the model makes of a verification. */
export interface Prediction {
  /** Of the model; 0 is the prior, whose weights were set by hand. */
  readonly version: number
  /** That mail to the address arrives, 0 to 1. */
  readonly probability: number
  /** Log-odds before any feature. */
  readonly bias: number
  /** What speaks for and against, the strongest first. */
  readonly contributions: readonly Contribution[]
}
