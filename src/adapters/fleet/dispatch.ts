import { PROBE_LIMITS, type ProbeGroup, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import { Stop } from "../../concurrency/deadlines.ts"
import { isNodeFailure } from "../../domain/fleet/outcome-class.ts"
import type { Choice } from "../../domain/fleet/router.ts"
import { classifyOutcome, type ReplyVerdict } from "../../domain/smtp-reply/classify-reply.ts"
import type { Platform } from "../platform.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import type { FleetNode } from "./fleet-node.ts"
import type { NodeClient } from "./node-client.ts"
import { LineQueue } from "./recipient-lines.ts"

/** A recipient line and the node that sent it. */
export type NodeLine = RecipientLine & {
  /** What the reply means, classified once, on arrival. Null without a reply. */
  readonly classified: ReplyVerdict | null
  readonly nodeId: string
  readonly region: string
  /** The node belongs to an account: other accounts must not rely on its answers. */
  readonly isPrivate: boolean
  /** The operator gives this answer for nearly every recipient from this source IP: another node should probe. */
  readonly isSuspect: boolean
}

export interface DispatchTask {
  readonly request: ProbeRequest
  /** Candidate nodes. */
  readonly nodes: readonly FleetNode[]
  readonly avoidNodes: readonly string[]
  readonly preferNode: string | null
  /** Fail rather than use a source IP that the operator blocks. */
  readonly onlyUnblocked: boolean
}

export interface DispatchDeps extends Pick<Platform, "clock" | "log" | "randomToken"> {
  readonly memory: FleetMemory
  readonly nodeClient: Pick<NodeClient, "probe">
}

/** The part of a request that one node handles in one stream. */
interface Subrequest {
  readonly node: FleetNode
  readonly choice: Choice<FleetNode>
  readonly groups: ProbeGroup[]
  readonly sourceIp: string | null
  readonly round: number
  readonly tried: readonly string[]
  /** Recipients for which this node has not sent a line yet. */
  readonly pending: Set<number>
  readonly stop: AbortController
}

/** Concurrent streams. A Worker may have six open connections. */
const MAX_STREAMS = 4
/** Larger groups of one operator are split into parts of this size. */
const MAX_PART = 250
const MAX_ROUNDS = 3
const MIN_DEADLINE_MS = 500
/** Hedge only requests with at most two recipients. */
const HEDGED_RECIPIENTS = 2

/**
 * Distributes one request over the fleet: the router picks a node for each group, with few streams.
 * Within the deadline, recipients without an answer go to another node. A second node hedges a slow one.
 */
export class Dispatch {
  readonly #deps: DispatchDeps
  readonly #task: DispatchTask
  readonly #deadlineAt: number
  readonly #open: Map<number, ProbeGroup>
  /** Lines of nodes that could not probe. They are returned when no other node can answer. */
  readonly #deferred = new Map<number, NodeLine>()
  readonly #queue = new LineQueue<NodeLine>()
  readonly #ended = new Stop()
  readonly #running = new Set<Subrequest>()

  constructor(deps: DispatchDeps, task: DispatchTask) {
    const { request } = task
    this.#deps = deps
    this.#task = task
    this.#deadlineAt = deps.clock.now() + request.deadlineMs
    this.#open = new Map(
      request.groups.flatMap((group) => group.recipients.map(({ index }) => [index, group] as const)),
    )
  }

  /** Yields each recipient at most once, in order of arrival. Leaving the loop early stops the nodes. */
  async *lines(): AsyncGenerator<NodeLine> {
    const { avoidNodes } = this.#task
    for (const subrequest of this.#assign(this.#task.request.groups, { round: 0, tried: avoidNodes }))
      this.#start(subrequest)
    if (this.#running.size === 0) return
    try {
      yield* this.#queue
    } finally {
      this.#end()
    }
  }

  /** Ends the request. Nodes with pending lines are stopped; others may finish, so that their connection is reused. */
  #end(): void {
    this.#queue.end()
    this.#ended.stop()
    for (const { pending, stop } of this.#running) if (pending.size > 0) stop.abort()
  }

  /** Assigns each group to a node, with few nodes for one request. */
  #assign(groups: readonly ProbeGroup[], { round, tried }: { round: number; tried: readonly string[] }): Subrequest[] {
    const { memory, clock } = this.#deps
    const subrequests = new Map<string, Subrequest>()
    const nodes = this.#candidates(tried)
    for (const group of nodes.length > 1 ? groups.flatMap(splitGroup) : groups) {
      const used = [...new Set([...subrequests.values()].map(({ node }) => node))]
      const candidates = used.length >= MAX_STREAMS ? used : nodes
      const routeRequest = this.#routeRequestOf(group, tried)
      const choice = memory.router.choose(candidates, routeRequest, clock.now())
      if (!choice || (choice.isLastResort && this.#task.onlyUnblocked)) continue
      memory.router.recordSent(choice, routeRequest, clock.now())
      const { node, avoid } = choice
      const key = `${node.id} ${avoid.join()}`
      const subrequest = subrequests.get(key) ?? this.#newSubrequest(choice, { round, tried })
      subrequests.set(key, subrequest)
      subrequest.groups.push(group)
      for (const { index } of group.recipients) subrequest.pending.add(index)
    }
    return [...subrequests.values()]
  }

  #newSubrequest(choice: Choice<FleetNode>, { round, tried }: { round: number; tried: readonly string[] }): Subrequest {
    const { node } = choice
    const sourceIp = node.id === this.#task.preferNode ? this.#task.request.sourceIp : null
    const rest = { groups: [], pending: new Set<number>(), stop: new AbortController() }
    return { node, choice, sourceIp, round, tried: [...tried, node.id], ...rest }
  }

  /** Nodes with a penalty are used only when no other node is left. */
  #candidates(tried: readonly string[]): readonly FleetNode[] {
    const { memory, clock } = this.#deps
    const now = clock.now()
    const trusted = this.#task.nodes.some(({ id }) => memory.penalties.isActive(id, now))
      ? this.#task.nodes.filter(({ id }) => !memory.penalties.isActive(id, now))
      : this.#task.nodes
    return trusted.some(({ id }) => !tried.includes(id)) ? trusted : this.#task.nodes
  }

  #routeRequestOf({ playbook, recipients }: ProbeGroup, avoidNodes: readonly string[]) {
    return {
      operator: playbook.operator,
      domain: domainOf(recipients[0]!.address),
      recipients: recipients.length,
      avoidNodes,
      avoidSourceIps: this.#task.request.avoidSourceIps,
      preferNode: this.#task.preferNode,
    }
  }

  #start(subrequest: Subrequest): void {
    this.#running.add(subrequest)
    this.#run(subrequest).finally(() => {
      this.#running.delete(subrequest)
      if (this.#running.size > 0 || this.#ended.aborted) return
      for (const index of this.#open.keys()) if (this.#deferred.has(index)) this.#queue.push(this.#deferred.get(index)!)
      this.#end()
    })
  }

  async #run(subrequest: Subrequest): Promise<void> {
    const { memory, nodeClient, log, clock } = this.#deps
    const { node, pending, stop } = subrequest
    const isDone = new Stop()
    this.#ended.addEventListener("abort", () => isDone.stop())
    const hedged = this.#hedge(subrequest, isDone)
    const startedAt = clock.now()
    const recipients = pending.size
    try {
      const lines = await nodeClient.probe(node, this.#requestFor(subrequest), {
        signal: stop.signal,
        onCut: () => {
          if (!stop.signal.aborted) log("probe_stream_cut", { node: node.id })
        },
        onViolation: (violation) => {
          memory.penalties.add(node.id, clock.now())
          log("probe_protocol_violation", { node: node.id, violation })
        },
      })
      for await (const line of lines ?? []) this.#take(subrequest, line, clock.now() - startedAt)
    } catch (error) {
      const { name, message } = error as Error
      // A node that is only slow has another end: the deadline of the probe.
      if (!stop.signal.aborted && name !== "TimeoutError") memory.addFailure(node.id, message, clock.now())
      if (!stop.signal.aborted) log("probe_node_unreachable", { node: node.id, error: message })
    } finally {
      isDone.stop()
      memory.router.recordDone(node.id, recipients)
    }
    await hedged
    if (!this.#ended.aborted) this.#retryElsewhere(subrequest)
  }

  #requestFor({ groups, choice, sourceIp }: Subrequest): ProbeRequest {
    const { clock, randomToken } = this.#deps
    const left = this.#deadlineAt - clock.now()
    return {
      ...this.#task.request,
      requestId: randomToken(),
      deadlineMs: Math.max(MIN_DEADLINE_MS, Math.min(PROBE_LIMITS.deadlineMs, Math.round(left))),
      sourceIp,
      avoidSourceIps: [...new Set([...this.#task.request.avoidSourceIps, ...choice.avoid])].slice(0, 64),
      groups,
    }
  }

  #take({ node, pending }: Subrequest, received: RecipientLine, ms: number): void {
    const { memory, clock } = this.#deps
    pending.delete(received.index)
    memory.clearFailures(node.id)
    const group = this.#open.get(received.index)
    if (!group) return
    const line = { ...received, classified: classifyOutcome(received.outcome, received.session) }
    const { operator } = group.playbook
    const route = memory.record(node, line, { operator, now: clock.now() })
    const isPrivate = node.accountId !== null
    if (this.#task.request.priority === "interactive" && !isPrivate) memory.hedge.recordAnswerTime(operator, ms)
    const from = { nodeId: node.id, region: node.region, isPrivate, isSuspect: memory.router.isSuspect(route) }
    if (isNodeFailure(line.outcome)) {
      this.#deferred.set(line.index, { ...line, ...from })
      return
    }
    this.#open.delete(line.index)
    this.#queue.push({ ...line, ...from })
    if (this.#open.size === 0) this.#end()
  }

  /** Sends open recipients to an untried node. With a single node, sends them to it once more. */
  #retryElsewhere({ groups, round, tried, node }: Subrequest): void {
    const left = groups.flatMap((group) => this.#stillOpen(group))
    const isLate = this.#deadlineAt - this.#deps.clock.now() < MIN_DEADLINE_MS
    if (left.length === 0 || isLate || round + 1 >= MAX_ROUNDS) return
    const others = this.#task.nodes.filter(({ id }) => !tried.includes(id))
    const isLost = left.some(({ recipients }) => recipients.some(({ index }) => !this.#deferred.has(index)))
    if (others.length === 0 && (round > 0 || !isLost || this.#task.nodes.length > 1)) return
    const avoid = others.length > 0 ? tried : tried.filter((id) => id !== node.id)
    for (const subrequest of this.#assign(left, { round: round + 1, tried: avoid })) this.#start(subrequest)
  }

  #stillOpen(group: ProbeGroup): ProbeGroup[] {
    const recipients = group.recipients.filter(({ index }) => this.#open.has(index))
    return recipients.length === 0 ? [] : [{ ...group, recipients }]
  }

  /** A caller waits, and an answer is slower than usual: probes through a second node as well. */
  async #hedge({ groups, round, tried }: Subrequest, signal: Stop): Promise<void> {
    const { memory, clock } = this.#deps
    const { priority, groups: all } = this.#task.request
    const isLone = all.length === 1 && all[0]!.recipients.length <= HEDGED_RECIPIENTS
    if (priority !== "interactive" || !isLone || round > 0 || this.#task.nodes.length < 2) return
    memory.hedge.recordRequest()
    await clock.sleep(memory.hedge.delayMs(groups[0]!.playbook.operator), signal)
    if (signal.aborted || this.#open.size === 0 || this.#deadlineAt - clock.now() < MIN_DEADLINE_MS) return
    if (!memory.hedge.reserve()) return
    for (const subrequest of this.#assign(groups, { round: MAX_ROUNDS, tried })) this.#start(subrequest)
  }
}

/** Splits a large group. Each part gets the random recipients of its own domains. */
function splitGroup(group: ProbeGroup): ProbeGroup[] {
  const { recipients, controls } = group
  if (recipients.length <= MAX_PART) return [group]
  return Array.from({ length: Math.ceil(recipients.length / MAX_PART) }, (_, n) => {
    const part = recipients.slice(n * MAX_PART, (n + 1) * MAX_PART)
    const domains = new Set(part.map(({ address }) => domainOf(address)))
    return { ...group, recipients: part, controls: controls.filter((control) => domains.has(domainOf(control))) }
  })
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}
