/** A breach that contains an address. */
export interface Breach {
  readonly name: string
  /** Day of the breach, "2024-05-31"; null when unknown. */
  readonly breachedOn: string | null
  /** The exposed data, in the source's terms. */
  readonly exposed: readonly string[]
}

/** A source of known breaches. */
export interface BreachSource {
  readonly name: string
  /** The breaches of an address; null when the source has no answer or was not queried. Never rejects. */
  breachesOf(email: string): Promise<readonly Breach[] | null>
}
