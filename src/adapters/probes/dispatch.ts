import { PROBE_LIMITS, type ProbeGroup, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import { isNodesOwn } from "../../domain/fleet/fate.ts"
import type { Choice } from "../../domain/fleet/router.ts"
import type { Clock, Log } from "../platform.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import type { FleetNode } from "./fleet-node.ts"
import { LineQueue } from "./line-queue.ts"
import type { NodeDoor } from "./node-door.ts"

/** A recipient line and who brought it. */
export type NodeLine = RecipientLine & {
  readonly nodeId: string
  readonly region: string
  /** The node belongs to an account: nobody else is to rely on what it says. */
  readonly isPrivate: boolean
  /** The operator says so to nearly everybody who asks from there: another node should be asked. */
  readonly isSuspect: boolean
}

export interface DispatchTask {
  readonly request: ProbeRequest
  /** Those that may be asked. */
  readonly nodes: readonly FleetNode[]
  readonly avoidNodes: readonly string[]
  readonly preferNode: string | null
  /** Rather ask nobody than a source IP that the operator holds off. */
  readonly onlyWelcome: boolean
}

interface DispatchNeeds {
  readonly clock: Clock
  readonly log: Log
  readonly randomToken: () => string
  readonly memory: FleetMemory
  readonly door: Pick<NodeDoor, "probe">
}

/** What one node is asked in one stream. */
interface Leg {
  readonly node: FleetNode
  readonly choice: Choice<FleetNode>
  readonly groups: ProbeGroup[]
  readonly sourceIp: string | null
  readonly round: number
  readonly tried: readonly string[]
  /** Recipients without a line of this node. */
  readonly owed: Set<number>
  readonly stop: AbortController
}

/** Streams at a time, of the six connections a Worker may wait on. */
const MAX_STREAMS = 4
/** Recipients of one operator that are worth a stream of their own. */
const PART = 250
const MAX_ROUNDS = 3
const MIN_DEADLINE_MS = 500
/** Whoever waits for so few is waiting for each. */
const HEDGED_RECIPIENTS = 2

/**
 * One request, asked of the fleet: each group goes where the router says, in few streams. What a node that dies leaves
 * unanswered, or could not ask, goes to another one within the deadline; a slow one is overtaken by a second.
 */
export class Dispatch {
  readonly #needs: DispatchNeeds
  readonly #task: DispatchTask
  readonly #wallAt: number
  readonly #open: Map<number, ProbeGroup>
  /** Lines of nodes that could not ask; the last word when nobody can. */
  readonly #held = new Map<number, NodeLine>()
  readonly #queue = new LineQueue<NodeLine>()
  readonly #over = new AbortController()
  readonly #running = new Set<Leg>()

  constructor(needs: DispatchNeeds, task: DispatchTask) {
    const { request } = task
    this.#needs = needs
    this.#task = task
    this.#wallAt = needs.clock.now() + request.deadlineMs
    this.#open = new Map(
      request.groups.flatMap((group) => group.recipients.map(({ index }) => [index, group] as const)),
    )
  }

  /** Each recipient at most once, as they come. Leaving early stops the nodes. */
  async *lines(): AsyncGenerator<NodeLine> {
    const { avoidNodes } = this.#task
    for (const leg of this.#assign(this.#task.request.groups, { round: 0, tried: avoidNodes })) this.#start(leg)
    if (this.#running.size === 0) return
    try {
      yield* this.#queue
    } finally {
      this.#end()
    }
  }

  /** Nothing more is waited for. Nodes that still owe lines are stopped; the others may finish their stream, which keeps the connection. */
  #end(): void {
    this.#queue.end()
    this.#over.abort()
    for (const { owed, stop } of this.#running) if (owed.size > 0) stop.abort()
  }

  /** Groups by the node that is to ask; few nodes for one request. */
  #assign(groups: readonly ProbeGroup[], { round, tried }: { round: number; tried: readonly string[] }): Leg[] {
    const { memory, clock } = this.#needs
    const legs = new Map<string, Leg>()
    const nodes = this.#candidates(tried)
    for (const group of nodes.length > 1 ? groups.flatMap(inParts) : groups) {
      const used = [...new Set([...legs.values()].map(({ node }) => node))]
      const among = used.length >= MAX_STREAMS ? used : nodes
      const ask = this.#askOf(group, tried)
      const choice = memory.router.choose(among, ask, clock.now())
      if (!choice || (choice.isLastResort && this.#task.onlyWelcome)) continue
      memory.router.noteSent(choice, ask, clock.now())
      const { node, avoid } = choice
      const key = `${node.id} ${avoid.join()}`
      const leg = legs.get(key) ?? this.#newLeg(choice, { round, tried })
      legs.set(key, leg)
      leg.groups.push(group)
      for (const { index } of group.recipients) leg.owed.add(index)
    }
    return [...legs.values()]
  }

  #newLeg(choice: Choice<FleetNode>, { round, tried }: { round: number; tried: readonly string[] }): Leg {
    const { node } = choice
    const sourceIp = node.id === this.#task.preferNode ? this.#task.request.sourceIp : null
    const state = { groups: [], owed: new Set<number>(), stop: new AbortController() }
    return { node, choice, sourceIp, round, tried: [...tried, node.id], ...state }
  }

  /** Liars are asked when nobody else is left. */
  #candidates(tried: readonly string[]): readonly FleetNode[] {
    const { memory, clock } = this.#needs
    const now = clock.now()
    const honest = this.#task.nodes.some(({ id }) => memory.disgrace.isIn(id, now))
      ? this.#task.nodes.filter(({ id }) => !memory.disgrace.isIn(id, now))
      : this.#task.nodes
    return honest.some(({ id }) => !tried.includes(id)) ? honest : this.#task.nodes
  }

  #askOf({ playbook, recipients }: ProbeGroup, avoidNodes: readonly string[]) {
    return {
      operator: playbook.operator,
      domain: domainOf(recipients[0]!.address),
      recipients: recipients.length,
      avoidNodes,
      avoidSourceIps: this.#task.request.avoidSourceIps,
      preferNode: this.#task.preferNode,
    }
  }

  #start(leg: Leg): void {
    this.#running.add(leg)
    this.#run(leg).finally(() => {
      this.#running.delete(leg)
      if (this.#running.size > 0 || this.#over.signal.aborted) return
      for (const index of this.#open.keys()) if (this.#held.has(index)) this.#queue.push(this.#held.get(index)!)
      this.#end()
    })
  }

  async #run(leg: Leg): Promise<void> {
    const { memory, door, log, clock } = this.#needs
    const { node, owed, stop } = leg
    const isDone = new AbortController()
    const overtaken = this.#hedge(leg, AbortSignal.any([this.#over.signal, isDone.signal]))
    const startedAt = clock.now()
    const recipients = owed.size
    try {
      const lines = await door.probe(node, this.#requestFor(leg), {
        signal: stop.signal,
        onCut: () => {
          if (!stop.signal.aborted) log("probe_stream_cut", { node: node.id })
        },
        onLie: (lie) => {
          memory.disgrace.note(node.id, clock.now())
          log("probe_node_lied", { node: node.id, lie })
        },
      })
      for await (const line of lines ?? []) this.#take(leg, line, clock.now() - startedAt)
    } catch (error) {
      if (!stop.signal.aborted) log("probe_node_unreachable", { node: node.id, error: (error as Error).message })
    } finally {
      isDone.abort()
      memory.router.noteDone(node.id, recipients)
    }
    await overtaken
    if (!this.#over.signal.aborted) this.#askElsewhere(leg)
  }

  #requestFor({ groups, choice, sourceIp }: Leg): ProbeRequest {
    const { clock, randomToken } = this.#needs
    const left = this.#wallAt - clock.now()
    return {
      ...this.#task.request,
      requestId: randomToken(),
      deadlineMs: Math.max(MIN_DEADLINE_MS, Math.min(PROBE_LIMITS.deadlineMs, Math.round(left))),
      sourceIp,
      avoidSourceIps: [...new Set([...this.#task.request.avoidSourceIps, ...choice.avoid])].slice(0, 64),
      groups,
    }
  }

  #take({ node, owed }: Leg, line: RecipientLine, ms: number): void {
    const { memory, clock } = this.#needs
    owed.delete(line.index)
    const group = this.#open.get(line.index)
    if (!group) return
    const { operator } = group.playbook
    const pair = memory.note(node, line, { operator, now: clock.now() })
    const isPrivate = node.accountId !== null
    if (this.#task.request.priority === "interactive" && !isPrivate) memory.hedge.noteAnswer(operator, ms)
    const from = { nodeId: node.id, region: node.region, isPrivate, isSuspect: memory.router.isSuspect(pair) }
    if (isNodesOwn(line.outcome)) {
      this.#held.set(line.index, { ...line, ...from })
      return
    }
    this.#open.delete(line.index)
    this.#queue.push({ ...line, ...from })
    if (this.#open.size === 0) this.#end()
  }

  /** What a leg left open goes to a node that has not been tried; when there is only this one, once more to it. */
  #askElsewhere({ groups, round, tried, node }: Leg): void {
    const left = groups.flatMap((group) => this.#stillOpen(group))
    const isLate = this.#wallAt - this.#needs.clock.now() < MIN_DEADLINE_MS
    if (left.length === 0 || isLate || round + 1 >= MAX_ROUNDS) return
    const others = this.#task.nodes.filter(({ id }) => !tried.includes(id))
    const isLost = left.some(({ recipients }) => recipients.some(({ index }) => !this.#held.has(index)))
    if (others.length === 0 && (round > 0 || !isLost || this.#task.nodes.length > 1)) return
    const avoid = others.length > 0 ? tried : tried.filter((id) => id !== node.id)
    for (const leg of this.#assign(left, { round: round + 1, tried: avoid })) this.#start(leg)
  }

  #stillOpen(group: ProbeGroup): ProbeGroup[] {
    const recipients = group.recipients.filter(({ index }) => this.#open.has(index))
    return recipients.length === 0 ? [] : [{ ...group, recipients }]
  }

  /** Somebody is waiting, and nearly every answer would have been there by now: a second node is asked as well. */
  async #hedge({ groups, round, tried }: Leg, signal: AbortSignal): Promise<void> {
    const { memory, clock } = this.#needs
    const { priority, groups: all } = this.#task.request
    const isLone = all.length === 1 && all[0]!.recipients.length <= HEDGED_RECIPIENTS
    if (priority !== "interactive" || !isLone || round > 0 || this.#task.nodes.length < 2) return
    memory.hedge.noteAsked()
    await clock.sleep(memory.hedge.delayMs(groups[0]!.playbook.operator), signal)
    if (signal.aborted || this.#open.size === 0 || this.#wallAt - clock.now() < MIN_DEADLINE_MS) return
    if (!memory.hedge.take()) return
    for (const leg of this.#assign(groups, { round: MAX_ROUNDS, tried })) this.#start(leg)
  }
}

/** A large group as several, each with the controls of its own domains. */
function inParts(group: ProbeGroup): ProbeGroup[] {
  const { recipients, controls } = group
  if (recipients.length <= PART) return [group]
  return Array.from({ length: Math.ceil(recipients.length / PART) }, (_, n) => {
    const part = recipients.slice(n * PART, (n + 1) * PART)
    const domains = new Set(part.map(({ address }) => domainOf(address)))
    return { ...group, recipients: part, controls: controls.filter((control) => domains.has(domainOf(control))) }
  })
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}
