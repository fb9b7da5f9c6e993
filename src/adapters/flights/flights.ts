interface RemoteFlight {
  enter(name: string, leaseMs: number): Promise<boolean>
  land(name: string): Promise<void>
}

/** The part of a Durable Object namespace that is used here. */
export interface FlightNamespace {
  idFromName(name: string): unknown
  get(id: unknown): RemoteFlight
}

/** Work that many may want at once and one is to do. */
export interface Flights {
  /**
   * Never rejects: who cannot meet the others, as while a deploy restarts the place, does the work alone.
   * @param name begins with a keyed hash in hexadecimal digits; never an address @param leaseMs how long the leader has
   * @returns true for the leader, who must `land`; false, when the leader has landed, for the others
   */
  enter(name: string, leaseMs: number): Promise<boolean>
  /** Never rejects: a lease nobody has ended ends by itself. */
  land(name: string): Promise<void>
}

/** One digit of the hash. Sixteen places take thousands of flights a second; an object awake costs memory and files all the time. */
const PLACE_DIGITS = 1

export function createFlights(namespace: FlightNamespace): Flights {
  const place = (name: string) => namespace.get(namespace.idFromName(name.slice(0, PLACE_DIGITS)))
  return {
    enter: (name, leaseMs) =>
      place(name)
        .enter(name, leaseMs)
        .catch(() => true),
    land: (name) =>
      place(name)
        .land(name)
        .catch(() => undefined),
  }
}
