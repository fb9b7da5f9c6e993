/** The contribution of one feature of an address. */
export interface Contribution {
  readonly feature: string
  readonly value: number
  /** Natural log-odds it adds. */
  readonly logOdds: number
}

/** The model's prediction for a verification. */
export interface Prediction {
  /** Model version; 0 is the prior, whose weights were set by hand. */
  readonly version: number
  /** Probability that mail to the address arrives, 0 to 1. */
  readonly probability: number
  /** Log-odds before any feature. */
  readonly bias: number
  /** Contributions for and against, the strongest first. */
  readonly contributions: readonly Contribution[]
}
