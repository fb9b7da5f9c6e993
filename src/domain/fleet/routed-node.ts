import type { NodeState } from "../../../schema/vocabulary.ts"

/** A node as the router sees it. */
export interface RoutedNode {
  readonly id: string
  readonly region: string
  readonly sourceIps: readonly string[]
  /** SMTP sessions at a time. */
  readonly capacity: number
  readonly state: NodeState
  /** Sessions in use over capacity when it was last looked at, 0..1. */
  readonly load: number
  /** Source IPs it rests by itself. */
  readonly resting: readonly string[]
}
