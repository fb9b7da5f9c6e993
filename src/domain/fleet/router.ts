import { Recent } from "../recent.ts"
import { affinity } from "./affinity.ts"
import { type BreakerState, holdUntil, noteTry, stateOf } from "./breaker.ts"
import { NodeSet } from "./node-set.ts"
import {
  acceptance,
  budgetLeft,
  type Counts,
  countsOf,
  Fading,
  isSuspect,
  NO_COUNTS,
  newPair,
  noteFate,
  notePace,
  type Pair,
  type PairName,
  paceAt,
  pairKey,
  type Said,
} from "./pair.ts"
import type { RoutedNode } from "./routed-node.ts"
import { costOf } from "./score.ts"
import { Workload } from "./workload.ts"

export interface RouteAsk {
  readonly operator: string
  /** What is asked about keeps to the same few nodes. */
  readonly domain: string
  readonly recipients: number
  readonly avoidNodes?: readonly string[]
  readonly avoidSourceIps?: readonly string[]
  /** The node that knows the recipients already. */
  readonly preferNode?: string | null
}

export interface Choice<N extends RoutedNode = RoutedNode> {
  readonly node: N
  /** Its source IPs that should not be used for this operator. */
  readonly avoid: readonly string[]
  /** Nothing better was left: every pair is blocked or used up. */
  readonly isLastResort: boolean
}

/** One node weighed for a request. */
export interface Weighed<N extends RoutedNode = RoutedNode> {
  readonly node: N
  readonly cost: number
  /** What its usable source IPs have lately asked this operator about, over its even share; 0 when that is little. */
  readonly crowding: number
  readonly usable: readonly string[]
  readonly avoid: readonly string[]
  readonly latencyMs: number
  readonly acceptance: number
  readonly budgetLeft: number
  readonly load: number
  readonly affinity: number
  readonly isOverloaded: boolean
}

/** Hosts that are asked once come and go by the thousand. */
const PAIRS_KEPT = 25_000
const OPERATORS_KEPT = 2_500
/** Nodes tried by chance before many are looked at, and how many these are. */
const DRAWS = 6
const LOOKED_AT = 48
/** Recipients below which nobody stands out, and times the even share from which one does. */
const CROWD_FROM = 20
const CROWD_SHARE = 1.3
/** Recipients that share a session, about. */
const PER_SESSION = 10

/**
 * Chooses nodes: the better of two by chance, one of them among the domain's own. Two choices keep load even where the
 * best of all would draw everybody at once (Mitzenmacher 2001). Plain values; time and chance are arguments.
 */
export class Router {
  readonly #pairs = new Recent<Pair>(PAIRS_KEPT)
  readonly #work = new Workload()
  /** What each operator said, whoever asked. */
  readonly #said = new Recent<Fading>(OPERATORS_KEPT)
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** @param nodes that may be asked at all; null when there are none */
  choose<N extends RoutedNode>(nodes: readonly N[], ask: RouteAsk, now: number): Choice<N> | null {
    if (nodes.length === 0) return null
    const avoided = ask.avoidNodes ?? []
    const within = { now, set: NodeSet.of(nodes) }
    const known = nodes.find(({ id }) => id === ask.preferNode && !avoided.includes(id))
    if (known) return chosen(this.weigh(known, ask, within), false)
    const two = this.#draw(ask, within)
    if (two.length > 0) return chosen(best(two), false)
    const left = this.#some(nodes).filter(({ id }) => !avoided.includes(id))
    if (left.length === 0) return null
    const all = left.map((node) => this.weigh(node, ask, within))
    const usable = all.filter((one) => one.usable.length > 0)
    return usable.length > 0 ? chosen(best(usable), false) : chosen(best(all), true)
  }

  /** All nodes, or so many in a row of a large fleet that hardly ever none of them will do. */
  #some<N extends RoutedNode>(nodes: readonly N[]): readonly N[] {
    if (nodes.length <= LOOKED_AT) return nodes
    const start = Math.floor(this.#random() * nodes.length)
    return [...nodes.slice(start, start + LOOKED_AT), ...nodes.slice(0, Math.max(0, start + LOOKED_AT - nodes.length))]
  }

  /** Up to two nodes with something to offer: the domain's own first, then any. */
  #draw<N extends RoutedNode>(ask: RouteAsk, within: Within<N>): Weighed<N>[] {
    const { set } = within
    const found: Weighed<N>[] = []
    const isOut = ({ id }: N) => (ask.avoidNodes?.includes(id) ?? false) || found.some(({ node }) => node.id === id)
    for (const node of set.ownOf(ask.domain)) {
      if (isOut(node)) continue
      const weighed = this.weigh(node, ask, within)
      // A domain that many ask about would make its own node stand out at the operator: then it has none.
      if (!isFree(weighed) || weighed.crowding > CROWD_SHARE) continue
      found.push(weighed)
      break
    }
    for (let i = 0; i < DRAWS && found.length < 2; i++) {
      const node = set.draw(this.#random())
      if (isOut(node)) continue
      const weighed = this.weigh(node, ask, within)
      if (isFree(weighed)) found.push(weighed)
    }
    return found
  }

  /** Everything a choice goes by, for one node of a list. Lower cost is better. */
  weigh<N extends RoutedNode>(node: N, ask: RouteAsk, { now, set }: Within<N>): Weighed<N> {
    const { usable, avoid, accepted, left, pace } = this.#sourceIps(node, ask, now)
    const even = (this.#work.paceAt(ask.operator, now) * node.capacity) / set.capacity
    const sessions = this.#work.inFlight(node.id) / PER_SESSION
    const facts = {
      latencyMs: this.#work.latencyMs(node.id, ask.operator),
      acceptance: accepted,
      budgetLeft: left,
      load: Math.max(node.load, sessions / Math.max(1, node.capacity)),
      crowding: pace > CROWD_FROM ? pace / Math.max(even, CROWD_FROM) : 0,
      affinity: affinity(ask.domain, node.id),
      isOverloaded: this.#work.isAboveShare(node, { now, capacity: set.capacity }),
    }
    return { node, usable, avoid, ...facts, cost: costOf({ ...facts, state: node.state }) }
  }

  /** Which source IPs of a node may be used for an operator, and how these stand with it, on the average. */
  #sourceIps(node: RoutedNode, { operator, avoidSourceIps }: RouteAsk, now: number) {
    const usable: string[] = []
    const avoid: string[] = []
    let [accepted, left, pace] = [0, 0, 0]
    for (const ip of node.sourceIps) {
      const pair = this.#pairs.get(pairKey({ nodeId: node.id, sourceIp: ip, operator }))
      const isOut = avoidSourceIps?.includes(ip) || node.resting.includes(ip)
      if (isOut || (pair && (pair.drifted || stateOf(pair.breaker, now) === "open"))) {
        avoid.push(ip)
        continue
      }
      usable.push(ip)
      accepted += pair ? acceptance(pair) : 1
      left += pair ? budgetLeft(pair, now) : 1
      if (pair) pace += paceAt(pair, now)
    }
    const shares = Math.max(1, usable.length)
    return { usable, avoid, accepted: accepted / shares, left: left / shares, pace }
  }

  /** Work has been given to a node. */
  noteSent({ node, avoid }: Choice, ask: RouteAsk, now: number): void {
    this.#work.sent(node.id, ask.operator, { recipients: ask.recipients, now })
    const used = node.sourceIps.filter((ip) => !avoid.includes(ip))
    for (const ip of used) {
      const pair = this.#pair({ nodeId: node.id, sourceIp: ip, operator: ask.operator }, now)
      noteTry(pair.breaker, now)
      notePace(pair, ask.recipients / used.length, now)
    }
  }

  noteDone(nodeId: string, recipients: number): void {
    this.#work.done(nodeId, recipients)
  }

  /** What an operator said to one of our IPs, or to a private node, which others do not go by. @returns whether the pair is held back from now on */
  noteFate(name: PairName, said: Said & { readonly isPrivate?: boolean }): boolean {
    const { nodeId, operator } = name
    if (said.fate === "answered" || said.fate === "missing") this.#work.answered(nodeId, operator, said.ms)
    if (!said.isPrivate) {
      const all = this.#said.get(operator) ?? new Fading()
      this.#said.set(operator, all)
      all.add(countsOf(said.fate, said.recipients, said.ms), said.now)
    }
    return noteFate(this.#pair(name, said.now), said)
  }

  /** What everybody knows of these pairs, and only of these: it replaces what they knew before. */
  learn(known: Iterable<PairName & Known>, now: number): void {
    for (const pair of this.#pairs.values()) {
      pair.others = NO_COUNTS
      pair.drifted = false
    }
    for (const one of known) {
      const { counts, openUntil, drifted } = one
      const pair = this.#pair(one, now)
      if (counts) pair.others = counts
      if (openUntil) holdUntil(pair.breaker, openUntil)
      if (drifted) pair.drifted = true
    }
  }

  isSuspect(name: PairName): boolean {
    const pair = this.#pairs.get(pairKey(name))
    return pair !== undefined && isSuspect(pair, this.#said.get(name.operator) ?? new Fading())
  }

  /** For those who ask why. */
  pair(name: PairName, now: number): PairView | null {
    const pair = this.#pairs.get(pairKey(name))
    if (!pair) return null
    const { seen, others, breaker, drifted } = pair
    return { seen, others, drifted, breaker: stateOf(breaker, now), openUntil: breaker.openUntil }
  }

  #pair(name: PairName, now: number): Pair {
    const key = pairKey(name)
    const pair = this.#pairs.get(key) ?? newPair(now)
    this.#pairs.set(key, pair)
    return pair
  }
}

interface Within<N extends RoutedNode> {
  readonly now: number
  /** The nodes that are chosen among. */
  readonly set: NodeSet<N>
}

interface Known {
  readonly counts?: Counts
  /** Held back until then, Unix ms. */
  readonly openUntil?: number
  readonly drifted?: boolean
}

export interface PairView {
  readonly seen: Readonly<Counts>
  readonly others: Readonly<Counts>
  readonly drifted: boolean
  readonly breaker: BreakerState
  readonly openUntil: number
}

function isFree({ usable, budgetLeft, isOverloaded }: Weighed): boolean {
  return usable.length > 0 && budgetLeft > 0 && !isOverloaded
}

function best<N extends RoutedNode>(weighed: readonly Weighed<N>[]): Weighed<N> {
  return weighed.reduce((a, b) => (b.cost < a.cost ? b : a))
}

/** With no usable IP all are: somebody has to ask. */
function chosen<N extends RoutedNode>({ node, usable, avoid }: Weighed<N>, isLastResort: boolean): Choice<N> {
  return { node, avoid: usable.length > 0 ? avoid : [], isLastResort }
}
