interface RemoteFlight {
  enter(leaseMs: number): Promise<boolean>
  land(): Promise<void>
}

/** The part of a Durable Object namespace that is used here. */
export interface FlightNamespace {
  idFromName(name: string): unknown
  get(id: unknown): RemoteFlight
}

/** Work that many may want at once and one is to do. */
export interface Flights {
  /**
   * @param name a keyed hash, never an address @param leaseMs how long the leader has
   * @returns true for the leader, who must `land`; false, when the leader has landed, for the others
   */
  enter(name: string, leaseMs: number): Promise<boolean>
  land(name: string): Promise<void>
}

export function createFlights(namespace: FlightNamespace): Flights {
  const flight = (name: string) => namespace.get(namespace.idFromName(name))
  return {
    enter: (name, leaseMs) => flight(name).enter(leaseMs),
    land: (name) => flight(name).land(),
  }
}
