import type { NodeState } from "../../../src/domain/fleet/nodes.ts"

/** A simulated day of mail operators and probe nodes, the same for every chooser. */
export interface WorldOptions {
  readonly nodes: number
  readonly operators: number
  readonly addressesPerSecond: number
  /** Addresses in one request. */
  readonly part: number
  /** Only one of this many requests is simulated; the tolerance of operators is scaled accordingly. */
  readonly sample: number
  readonly seed: number
}

export interface SimNode {
  readonly id: string
  readonly region: string
  readonly sourceIps: readonly string[]
  readonly capacity: number
  state: NodeState
  load: number
  readonly pausedIps: readonly string[]
  readonly index: number
  nextIp: number
  /** End of an outage, in ms of the day; 0 while the node is alive. */
  deadUntil: number
  diesAt: number
}

interface SimOperator {
  readonly name: string
  readonly share: number
  readonly region: number
  readonly blockMs: number
  readonly greylists: boolean
}

export interface SimRequest {
  readonly operator: number
  readonly domain: string
}

export type Reply = {
  readonly kind: "answered" | "blocked" | "deferred" | "throttled" | "dead"
  readonly ms: number
  readonly sourceIp: string
}

/** One source IP at one operator. */
interface SimRoute {
  /** Recent requests to the operator. */
  level: number
  levelAt: number
  readonly tolerance: number
  blockedUntil: number
  strikes: number
  /** The node's own breaker, as in probe-node/ip-reputation.ts. */
  blocks: number
  opened: number
  openUntil: number
}

const WINDOW_MS = 3_600_000
const REGIONS = ["eu", "us-east", "us-west", "asia", "south"]
const DOMAINS_PER_OPERATOR = 200
const MTBF_MS = 8 * 3_600_000
const FORGIVEN_MS = 3_600_000
const NODE_BREAKER = { blocks: 8, firstMs: 60_000, mostMs: 3_600_000 }
/** Time until a health check marks a dead node. */
const NOTICE_MS = 150_000

export class FleetWorld {
  readonly nodes: SimNode[]
  readonly operators: SimOperator[]
  readonly random: () => number
  /** By node, source IP and operator. */
  readonly #routes: SimRoute[][][]
  readonly #known = new Set<string>()
  readonly #shares: number[]

  constructor(options: WorldOptions) {
    this.random = mulberry32(options.seed)
    const { random } = this
    this.operators = makeOperators(options.operators, random)
    this.nodes = Array.from({ length: options.nodes }, (_, index) => makeNode(index, random))
    const ips = this.nodes.reduce((count, { sourceIps }) => count + sourceIps.length, 0)
    const perWindow = ((options.addressesPerSecond / options.part / options.sample) * WINDOW_MS) / 1_000
    this.#routes = this.nodes.map(({ sourceIps }) =>
      sourceIps.map(() => this.operators.map(({ share }) => makeRoute((perWindow * share) / ips, random))),
    )
    let sum = 0
    this.#shares = this.operators.map(({ share }) => (sum += share))
  }

  /** The next request, before a node is chosen. */
  nextRequest(): SimRequest {
    const at = this.random()
    const operator = Math.max(
      0,
      this.#shares.findIndex((share) => at < share),
    )
    const domain = Math.floor(DOMAINS_PER_OPERATOR * this.random() ** 3)
    return { operator, domain: `d${domain}.op${operator}.test` }
  }

  /** Nodes die and recover. Health checks notice it late. */
  churn(now: number): boolean {
    let changed = false
    for (const node of this.nodes) {
      if (node.deadUntil === 0 && now >= node.diesAt) node.deadUntil = now + (10 + 50 * this.random()) * 60_000
      else if (node.deadUntil > 0 && now >= node.deadUntil) {
        node.deadUntil = 0
        node.diesAt = now - Math.log(1 - this.random()) * MTBF_MS
      }
      const state = node.deadUntil > 0 && now - node.diesAt >= NOTICE_MS ? "gone" : "healthy"
      changed ||= state !== node.state
      node.state = state
    }
    return changed
  }

  /** @param avoid source IPs that the node must not use; it uses the others in turn */
  probe(
    node: SimNode,
    { operator, domain }: SimRequest,
    { now, avoid }: { now: number; avoid: readonly string[] },
  ): Reply {
    const { region, blockMs, greylists } = this.operators[operator]!
    const ms = 60 + 45 * distance(node.index % REGIONS.length, region) + 40 * this.random()
    const { sourceIps } = node
    if (node.deadUntil > 0) return { kind: "dead", ms: 200, sourceIp: sourceIps[0]! }
    const isUsable = (ip: number) =>
      !avoid.includes(sourceIps[ip]!) && this.#routes[node.index]![ip]![operator]!.openUntil <= now
    const first = node.nextIp++
    const order = sourceIps.map((_, n) => (first + n) % sourceIps.length)
    const ip = order.find(isUsable)
    if (ip === undefined) return { kind: "throttled", ms: 5, sourceIp: sourceIps[0]! }
    const route = this.#routes[node.index]![ip]![operator]!
    const kind = this.#reply(route, { now, blockMs, triplet: greylists ? `${sourceIps[ip]} ${domain}` : null })
    return { kind, ms, sourceIp: sourceIps[ip]! }
  }

  #reply(route: SimRoute, { now, blockMs, triplet }: { now: number; blockMs: number; triplet: string | null }) {
    route.level = route.level * Math.exp(-(now - route.levelAt) / WINDOW_MS) + 1
    route.levelAt = now
    if (now < route.blockedUntil || route.level > route.tolerance) return this.#block(route, blockMs, now)
    route.blocks = 0
    route.opened = 0
    return triplet !== null && !this.#isKnown(triplet) ? "deferred" : "answered"
  }

  /** A repeated block within an hour lasts longer. */
  #block(route: SimRoute, blockMs: number, now: number): "blocked" {
    if (now >= route.blockedUntil) {
      route.strikes = now - route.blockedUntil < FORGIVEN_MS ? route.strikes + 1 : 1
      route.blockedUntil = now + blockMs * Math.min(4, route.strikes)
    }
    route.blocks++
    const isTrial = route.opened > 0
    if (isTrial || route.blocks >= NODE_BREAKER.blocks) {
      route.openUntil = now + Math.min(NODE_BREAKER.mostMs, NODE_BREAKER.firstMs * 2 ** route.opened)
      route.opened++
    }
    return "blocked"
  }

  #isKnown(triplet: string): boolean {
    if (this.#known.has(triplet)) return true
    this.#known.add(triplet)
    return false
  }
}

/** Larger machines have more source addresses. */
function makeNode(index: number, random: () => number): SimNode {
  const size = [1, 2, 2, 4][Math.floor(random() * 4)]!
  return {
    id: `node-${index}`,
    index,
    region: REGIONS[index % REGIONS.length]!,
    sourceIps: Array.from({ length: size }, (_, n) => `198.18.${index}.${n}`),
    capacity: 500 * size,
    state: "healthy",
    load: 0,
    pausedIps: [],
    nextIp: 0,
    deadUntil: 0,
    diesAt: -Math.log(1 - random()) * MTBF_MS,
  }
}

function makeOperators(count: number, random: () => number): SimOperator[] {
  const weights = Array.from({ length: count }, (_, n) => 1 / (n + 1) ** 0.9)
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight, n) => ({
    name: `op${n}`,
    share: weight / sum,
    region: Math.floor(random() * REGIONS.length),
    blockMs: (10 + 50 * random()) * 60_000,
    greylists: n % 4 === 3,
  }))
}

/** An operator's tolerance for one IP: mostly above an even share, for some IPs half of it, for a few almost none. */
function makeRoute(evenShare: number, random: () => number): SimRoute {
  const luck = random()
  const factor = luck < 0.03 ? 0.05 : luck < 0.13 ? 0.5 : 2.5 * Math.exp(0.4 * gauss(random))
  const tolerated = evenShare * factor
  // Sampling makes counts uneven. The slack removes this effect.
  const tolerance = Math.max(0.5, tolerated + 2 * Math.sqrt(tolerated))
  return { level: 0, levelAt: 0, tolerance, blockedUntil: 0, strikes: 0, blocks: 0, opened: 0, openUntil: 0 }
}

function distance(a: number, b: number): number {
  const apart = Math.abs(a - b)
  return Math.min(apart, REGIONS.length - apart)
}

function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A small seeded random generator (public domain, T. Ettinger). */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
