import type { NodeState } from "./node-state.ts"

/** A node as the router sees it. */
export interface RoutedNode {
  readonly id: string
  readonly region: string
  readonly sourceIps: readonly string[]
  /** Concurrent SMTP sessions. */
  readonly capacity: number
  readonly state: NodeState
  /** Sessions in use over capacity at the last health check, 0..1. */
  readonly load: number
  /** Source IPs that the node itself has paused. */
  readonly resting: readonly string[]
}
