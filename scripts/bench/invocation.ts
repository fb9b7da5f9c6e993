/** One invocation of the Worker. Calls after its answer count too. */
export interface Invocation {
  readonly kind: "fetch" | "queue" | "scheduled"
  /** Calls to other services: HTTP, KV, Durable Objects, queues and assets. */
  subrequests: number
}
