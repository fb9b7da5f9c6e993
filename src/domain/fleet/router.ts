import { Recent } from "../recent.ts"
import { type CostFacts, costOf, Workload } from "./node-cost.ts"
import { affinity, NodeSet, type RoutedNode } from "./node-set.ts"
import {
  acceptance,
  type BreakerState,
  budgetLeft,
  type Counts,
  countsOf,
  DecayingCounts,
  extendPause,
  isSuspect,
  NO_COUNTS,
  newRouteStats,
  type Observation,
  type RouteName,
  type RouteStats,
  recentRate,
  recordOutcome,
  recordRecipients,
  routeKey,
  startTrial,
  stateOf,
} from "./route-stats.ts"

export interface RouteRequest {
  readonly operator: string
  /** Requests for one domain prefer the same few nodes. */
  readonly domain: string
  readonly recipients: number
  readonly avoidNodes?: readonly string[]
  readonly avoidSourceIps?: readonly string[]
  /** The node that already has the recipients' session. */
  readonly preferNode?: string | null
}

export interface Choice<N extends RoutedNode = RoutedNode> {
  readonly node: N
  /** Source IPs of the node that should not be used for this operator. */
  readonly avoid: readonly string[]
  /** No route was usable: every source IP is blocked or excluded. */
  readonly isLastResort: boolean
}

/** The assessment of one node for a request. */
export interface NodeAssessment<N extends RoutedNode = RoutedNode> extends Omit<CostFacts, "state"> {
  readonly node: N
  readonly cost: number
  readonly usable: readonly string[]
  readonly avoid: readonly string[]
}

/** Domains with a mail host of their own add thousands of operators that are probed once. */
const MAX_ROUTES = 25_000
const MAX_OPERATORS = 2_500
/** Random draws before the router compares a sample, and the size of that sample. */
const DRAWS = 6
const SAMPLE_SIZE = 48
/** Crowding counts from this many recipients. Above the second factor of the even share a node is crowded. */
const CROWD_FROM = 20
const CROWD_SHARE = 1.3
/** Approximate recipients per session. */
const PER_SESSION = 10

/** Chooses nodes: the better of two random candidates, one preferred by the domain (Mitzenmacher 2001). */
export class Router {
  readonly #routes = new Recent<RouteStats>(MAX_ROUTES)
  readonly #work = new Workload()
  /** Answers of each operator to all source IPs. */
  readonly #answers = new Recent<DecayingCounts>(MAX_OPERATORS)
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** @param nodes the usable nodes @returns null when there are none */
  choose<N extends RoutedNode>(nodes: readonly N[], request: RouteRequest, now: number): Choice<N> | null {
    if (nodes.length === 0) return null
    const avoided = request.avoidNodes ?? []
    const within = { now, set: NodeSet.of(nodes) }
    const known = nodes.find(({ id }) => id === request.preferNode && !avoided.includes(id))
    if (known) return chosen(this.assess(known, request, within), false)
    const two = this.#draw(request, within)
    if (two.length > 0) return chosen(best(two), false)
    const left = this.#sample(nodes).filter(({ id }) => !avoided.includes(id))
    if (left.length === 0) return null
    const all = left.map((node) => this.assess(node, request, within))
    const usable = all.filter((one) => one.usable.length > 0)
    return usable.length > 0 ? chosen(best(usable), false) : chosen(best(all), true)
  }

  /** All nodes, or a random run of them in a large fleet. */
  #sample<N extends RoutedNode>(nodes: readonly N[]): readonly N[] {
    if (nodes.length <= SAMPLE_SIZE) return nodes
    const start = Math.floor(this.#random() * nodes.length)
    return [
      ...nodes.slice(start, start + SAMPLE_SIZE),
      ...nodes.slice(0, Math.max(0, start + SAMPLE_SIZE - nodes.length)),
    ]
  }

  /** Up to two free nodes: one that the domain prefers first, then random ones. */
  #draw<N extends RoutedNode>(request: RouteRequest, within: Within<N>): NodeAssessment<N>[] {
    const { set } = within
    const found: NodeAssessment<N>[] = []
    const isOut = ({ id }: N) => (request.avoidNodes?.includes(id) ?? false) || found.some(({ node }) => node.id === id)
    for (const node of set.preferredBy(request.domain)) {
      if (isOut(node)) continue
      const assessed = this.assess(node, request, within)
      // A busy domain would overload its preferred node at the operator, so a crowded node is skipped.
      if (!isFree(assessed) || assessed.crowding > CROWD_SHARE) continue
      found.push(assessed)
      break
    }
    for (let i = 0; i < DRAWS && found.length < 2; i++) {
      const node = set.draw(this.#random())
      if (isOut(node)) continue
      const assessed = this.assess(node, request, within)
      if (isFree(assessed)) found.push(assessed)
    }
    return found
  }

  /** Assesses one node of a list for a request. Lower cost is better. */
  assess<N extends RoutedNode>(node: N, request: RouteRequest, { now, set }: Within<N>): NodeAssessment<N> {
    const { usable, avoid, accepted, left, rate } = this.#sourceIps(node, request, now)
    const even = (this.#work.recentRate(request.operator, now) * node.capacity) / set.capacity
    const sessions = this.#work.inFlight(node.id) / PER_SESSION
    const facts = {
      latencyMs: this.#work.latencyMs(node.id, request.operator),
      acceptance: accepted,
      budgetLeft: left,
      load: Math.max(node.load, sessions / Math.max(1, node.capacity)),
      crowding: rate > CROWD_FROM ? rate / Math.max(even, CROWD_FROM) : 0,
      affinity: affinity(request.domain, node.id),
      isOverloaded: this.#work.isAboveShare(node, { now, capacity: set.capacity }),
    }
    return { node, usable, avoid, ...facts, cost: costOf({ ...facts, state: node.state }) }
  }

  /** The usable source IPs of a node at an operator, and their average statistics. */
  #sourceIps(node: RoutedNode, { operator, avoidSourceIps }: RouteRequest, now: number) {
    const usable: string[] = []
    const avoid: string[] = []
    let [accepted, left, rate] = [0, 0, 0]
    for (const ip of node.sourceIps) {
      const stats = this.#routes.get(routeKey({ nodeId: node.id, sourceIp: ip, operator }))
      const isOut = avoidSourceIps?.includes(ip) || node.pausedIps.includes(ip)
      if (isOut || (stats && (stats.drifted || stateOf(stats.breaker, now) === "open"))) {
        avoid.push(ip)
        continue
      }
      usable.push(ip)
      accepted += stats ? acceptance(stats) : 1
      left += stats ? budgetLeft(stats, now) : 1
      if (stats) rate += recentRate(stats, now)
    }
    const shares = Math.max(1, usable.length)
    return { usable, avoid, accepted: accepted / shares, left: left / shares, rate }
  }

  recordSent({ node, avoid }: Choice, request: RouteRequest, now: number): void {
    this.#work.sent(node.id, request.operator, { recipients: request.recipients, now })
    const used = node.sourceIps.filter((ip) => !avoid.includes(ip))
    for (const ip of used) {
      const stats = this.#statsOf({ nodeId: node.id, sourceIp: ip, operator: request.operator }, now)
      startTrial(stats.breaker, now)
      recordRecipients(stats, request.recipients / used.length, now)
    }
  }

  recordDone(nodeId: string, recipients: number): void {
    this.#work.done(nodeId, recipients)
  }

  /** Records an operator's answer, of private nodes for them only. @returns whether the route is blocked from now on */
  recordOutcome(name: RouteName, observed: Observation & { readonly isPrivate?: boolean }): boolean {
    const { nodeId, operator } = name
    const { outcomeClass, recipients, ms, now, isPrivate } = observed
    if (outcomeClass === "answered" || outcomeClass === "missing") this.#work.answered(nodeId, operator, ms)
    if (!isPrivate) {
      const all = this.#answers.get(operator) ?? new DecayingCounts()
      this.#answers.set(operator, all)
      all.add(countsOf(outcomeClass, recipients, ms), now)
    }
    return recordOutcome(this.#statsOf(name, now), observed)
  }

  /** Replaces the shared knowledge of all routes by what the database holds. */
  learn(known: Iterable<RouteName & Known>, now: number): void {
    for (const stats of this.#routes.values()) {
      stats.others = NO_COUNTS
      stats.drifted = false
    }
    for (const one of known) {
      const { counts, openUntil, drifted } = one
      const stats = this.#statsOf(one, now)
      if (counts) stats.others = counts
      if (openUntil) extendPause(stats.breaker, openUntil)
      if (drifted) stats.drifted = true
    }
  }

  isSuspect(name: RouteName): boolean {
    const stats = this.#routes.get(routeKey(name))
    return stats !== undefined && isSuspect(stats, this.#answers.get(name.operator) ?? new DecayingCounts())
  }

  /** The statistics of a route, to explain a choice. */
  route(name: RouteName, now: number): RouteView | null {
    const stats = this.#routes.get(routeKey(name))
    if (!stats) return null
    const { seen, others, breaker, drifted } = stats
    return { seen, others, drifted, breaker: stateOf(breaker, now), openUntil: breaker.openUntil }
  }

  #statsOf(name: RouteName, now: number): RouteStats {
    const key = routeKey(name)
    const stats = this.#routes.get(key) ?? newRouteStats(now)
    this.#routes.set(key, stats)
    return stats
  }
}

interface Within<N extends RoutedNode> {
  readonly now: number
  readonly set: NodeSet<N>
}

interface Known {
  readonly counts?: Counts
  /** The route is blocked until then, Unix ms. */
  readonly openUntil?: number
  readonly drifted?: boolean
}

export interface RouteView extends Readonly<Pick<RouteStats, "seen" | "others" | "drifted">> {
  readonly breaker: BreakerState
  readonly openUntil: number
}

function isFree({ usable, budgetLeft, isOverloaded }: NodeAssessment): boolean {
  return usable.length > 0 && budgetLeft > 0 && !isOverloaded
}

function best<N extends RoutedNode>(assessed: readonly NodeAssessment<N>[]): NodeAssessment<N> {
  return assessed.reduce((a, b) => (b.cost < a.cost ? b : a))
}

/** Without a usable IP all IPs are allowed: the request has to go out somewhere. */
function chosen<N extends RoutedNode>({ node, usable, avoid }: NodeAssessment<N>, isLastResort: boolean): Choice<N> {
  return { node, avoid: usable.length > 0 ? avoid : [], isLastResort }
}
