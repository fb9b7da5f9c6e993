interface RemoteFlight {
  acquire(name: string, leaseMs: number): Promise<boolean>
  release(name: string): Promise<void>
}

/** The namespace methods that are used here. */
export interface SingleFlightNamespace {
  idFromName(name: string): unknown
  get(id: unknown): RemoteFlight
}

/** Deduplicates identical work of concurrent requests. */
export type SingleFlight = ReturnType<typeof createSingleFlight>

/** Hash digits in an object's name. Sixteen objects handle thousands of calls a second; each costs memory. */
const OBJECT_NAME_DIGITS = 1

export function createSingleFlight(namespace: SingleFlightNamespace) {
  const objectOf = (name: string) => namespace.get(namespace.idFromName(name.slice(0, OBJECT_NAME_DIGITS)))
  return {
    /**
     * Never rejects. When the object is unreachable, as during a deployment, the caller does the work itself.
     * @param name starts with a keyed hash in hexadecimal digits; never an address
     * @param leaseMs how long the leader may hold the lease
     * @returns true for the leader, which must call `release`; false for the others, after the release
     */
    acquire: (name: string, leaseMs: number): Promise<boolean> =>
      objectOf(name)
        .acquire(name, leaseMs)
        .catch(() => true),
    /** Never rejects: a lease that is not released expires. */
    release: (name: string): Promise<void> =>
      objectOf(name)
        .release(name)
        .catch(() => undefined),
  }
}
