import type { NodeState } from "./nodes.ts"

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
  readonly pausedIps: readonly string[]
}

const PREFERRED_NODES = 3
const MAX_DOMAINS = 5_000

/** A list of nodes with its precomputed total capacity. Cached by list: a changed fleet is a new list. */
export class NodeSet<N extends RoutedNode> {
  readonly capacity: number
  readonly #nodes: readonly N[]
  readonly #cumulative: Float64Array
  readonly #preferred = new Map<string, readonly N[]>()

  private constructor(nodes: readonly N[]) {
    this.#nodes = nodes
    this.#cumulative = new Float64Array(nodes.length)
    let sum = 0
    for (const [index, { capacity }] of nodes.entries()) {
      sum += Math.max(1, capacity)
      this.#cumulative[index] = sum
    }
    this.capacity = sum
  }

  static of<N extends RoutedNode>(nodes: readonly N[]): NodeSet<N> {
    const known = sets.get(nodes)
    if (known) return known as unknown as NodeSet<N>
    const made = new NodeSet(nodes)
    sets.set(nodes, made as unknown as NodeSet<RoutedNode>)
    return made
  }

  /** Draws a node at random, weighted by capacity. @param at 0..1 */
  draw(at: number): N {
    const wanted = at * this.capacity
    let [low, high] = [0, this.#nodes.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#cumulative[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return this.#nodes[low]!
  }

  /** The nodes that a domain prefers, best first: rendezvous hashing, weighted by capacity. */
  preferredBy(domain: string): readonly N[] {
    const known = this.#preferred.get(domain)
    if (known) return known
    if (this.#preferred.size >= MAX_DOMAINS) this.#preferred.clear()
    const best: { node: N; closeness: number }[] = []
    for (const node of this.#nodes) {
      const closeness = -Math.max(1, node.capacity) / Math.log(affinity(domain, node.id))
      const rank = best.findIndex((other) => other.closeness < closeness)
      if (rank === -1 && best.length >= PREFERRED_NODES) continue
      best.splice(rank === -1 ? best.length : rank, 0, { node, closeness })
      if (best.length > PREFERRED_NODES) best.pop()
    }
    const preferred = best.map(({ node }) => node)
    this.#preferred.set(domain, preferred)
    return preferred
  }
}

const sets = new WeakMap<readonly RoutedNode[], NodeSet<RoutedNode>>()

/** A domain's preference for a node, 0..1, the same on each isolate: rendezvous hashing by FNV-1a with a final mix. */
export function affinity(domain: string, nodeId: string): number {
  let hash = 0x811c9dc5
  for (const text of [domain, "\n", nodeId])
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
