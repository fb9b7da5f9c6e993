import { affinity } from "./affinity.ts"
import type { RoutedNode } from "./routed-node.ts"

const OWN_NODES = 3
const MAX_DOMAINS = 5_000

/** What a list of nodes has as a whole, worked out once: a list is made anew when something about it changes. */
export class NodeSet<N extends RoutedNode> {
  readonly capacity: number
  readonly #nodes: readonly N[]
  /** Capacity of each and all before it. */
  readonly #upTo: Float64Array
  readonly #own = new Map<string, readonly N[]>()

  private constructor(nodes: readonly N[]) {
    this.#nodes = nodes
    this.#upTo = new Float64Array(nodes.length)
    let sum = 0
    for (const [index, { capacity }] of nodes.entries()) {
      sum += Math.max(1, capacity)
      this.#upTo[index] = sum
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

  /** One by chance, large ones more often. @param at 0..1 */
  draw(at: number): N {
    const wanted = at * this.capacity
    let [low, high] = [0, this.#nodes.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#upTo[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return this.#nodes[low]!
  }

  /** The few nodes that are a domain's own, by rendezvous hashing weighted by capacity; the nearest first. */
  ownOf(domain: string): readonly N[] {
    const known = this.#own.get(domain)
    if (known) return known
    if (this.#own.size >= MAX_DOMAINS) this.#own.clear()
    const best: { node: N; closeness: number }[] = []
    for (const node of this.#nodes) {
      const closeness = -Math.max(1, node.capacity) / Math.log(affinity(domain, node.id))
      const place = best.findIndex((other) => other.closeness < closeness)
      if (place === -1 && best.length >= OWN_NODES) continue
      best.splice(place === -1 ? best.length : place, 0, { node, closeness })
      if (best.length > OWN_NODES) best.pop()
    }
    const own = best.map(({ node }) => node)
    this.#own.set(domain, own)
    return own
  }
}

const sets = new WeakMap<readonly RoutedNode[], NodeSet<RoutedNode>>()
