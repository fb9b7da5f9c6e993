/** One breach an address was found in. */
export interface Breach {
  readonly name: string
  /** Day of the breach, "2024-05-31"; null when nobody knows. */
  readonly breachedOn: string | null
  /** What was lost, in the source's words. */
  readonly exposed: readonly string[]
}

/** Where known breaches are looked up. */
export interface BreachSource {
  readonly name: string
  /** The breaches of an address, none when it is in none; null when the source cannot tell now. Never rejects. */
  breachesOf(email: string): Promise<readonly Breach[] | null>
}
