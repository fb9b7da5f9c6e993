import { Recent } from "../recent.ts"
import { paceLeft } from "./pace.ts"
import type { RoutedNode } from "./routed-node.ts"

/** Half of what was sent counts no more after this. */
const HALF_LIFE_MS = 300_000
/** More than this times the mean, by capacity, is too much for one node. */
const MAX_SHARE = 1.25
/** Less than this says nothing about shares. */
const MIN_WORK = 50
const SMOOTHING = 0.1
const OPERATORS_KEPT = 2_500
const LATENCIES_KEPT = 2_500

/** What nodes have been given, and how fast they answer. */
export class Workload {
  readonly #inFlight = new Map<string, number>()
  readonly #sent = new Map<string, { work: number; at: number }>()
  readonly #total = { work: 0, at: 0 }
  readonly #operators = new Recent<{ pace: number; at: number }>(OPERATORS_KEPT)
  readonly #latency = new Recent<number>(LATENCIES_KEPT)

  sent(id: string, operator: string, { recipients, now }: { recipients: number; now: number }): void {
    this.#operators.set(operator, { pace: this.paceAt(operator, now) + recipients, at: now })
    this.#inFlight.set(id, this.inFlight(id) + recipients)
    const own = this.#sent.get(id)
    this.#sent.set(id, { work: (own ? faded(own, now) : 0) + recipients, at: now })
    this.#total.work = faded(this.#total, now) + recipients
    this.#total.at = now
  }

  /** Recipients that the whole fleet has lately asked an operator about. */
  paceAt(operator: string, now: number): number {
    const known = this.#operators.get(operator)
    return known ? known.pace * paceLeft(now - known.at) : 0
  }

  done(nodeId: string, recipients: number): void {
    this.#inFlight.set(nodeId, Math.max(0, this.inFlight(nodeId) - recipients))
  }

  inFlight(nodeId: string): number {
    return this.#inFlight.get(nodeId) ?? 0
  }

  /** @param capacity of all nodes together */
  isAboveShare({ id, capacity: own }: RoutedNode, { now, capacity }: { now: number; capacity: number }): boolean {
    const sent = this.#sent.get(id)
    if (!sent) return false
    const even = (faded(this.#total, now) * own) / capacity
    return even > MIN_WORK && faded(sent, now) > MAX_SHARE * even
  }

  answered(nodeId: string, operator: string, ms: number): void {
    for (const key of [nodeId, `${nodeId}\n${operator}`]) {
      const before = this.#latency.get(key)
      this.#latency.set(key, before === undefined ? ms : before + SMOOTHING * (ms - before))
    }
  }

  /** Of the node at this operator, else of the node at all, else a guess. */
  latencyMs(nodeId: string, operator: string): number {
    return this.#latency.get(`${nodeId}\n${operator}`) ?? this.#latency.get(nodeId) ?? 500
  }
}

function faded({ work, at }: { work: number; at: number }, now: number): number {
  return work * 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS)
}
