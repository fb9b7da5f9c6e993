import { type Counts, countsOf, NO_COUNTS, type RouteName } from "../../../src/domain/fleet/route-stats.ts"
import { type Choice, type RouteRequest, Router } from "../../../src/domain/fleet/router.ts"
import type { Reply, SimNode, SimRequest } from "./fleet-world.ts"

export interface Chosen {
  readonly node: SimNode
  /** Source IPs of the node that it must not use. */
  readonly avoid: readonly string[]
}

/** Chooses the node for a request. All choosers see the same health; only the choice differs. */
export interface Chooser {
  readonly name: string
  choose(
    nodes: readonly SimNode[],
    request: SimRequest,
    options: { now: number; avoid: readonly string[] },
  ): Chosen | null
  record(node: SimNode, request: SimRequest, reply: Reply, now: number): void
  /** Called at intervals: isolates share their statistics through the database. */
  sync(now: number): void
}

export function roundRobin(): Chooser {
  let turn = 0
  return {
    name: "round-robin",
    choose(nodes, _, { avoid }) {
      for (let tries = 0; tries < nodes.length; tries++) {
        const node = nodes[turn++ % nodes.length]!
        if (!avoid.includes(node.id)) return { node, avoid: [] }
      }
      return null
    },
    record: () => undefined,
    sync: () => undefined,
  }
}

export function randomChoice(random: () => number): Chooser {
  return {
    name: "random",
    choose(nodes, _, { avoid }) {
      const left = avoid.length === 0 ? nodes : nodes.filter(({ id }) => !avoid.includes(id))
      const node = left[Math.floor(random() * left.length)]
      return node ? { node, avoid: [] } : null
    },
    record: () => undefined,
    sync: () => undefined,
  }
}

/** The service's router in several isolates that share only the contents of the database. */
export function byRouter(random: () => number, { isolates, part }: { isolates: number; part: number }): Chooser {
  const routers = Array.from({ length: isolates }, () => new Router(random))
  const counted = new Map<string, RouteName & Counts>()
  const held = new Map<string, RouteName & { openUntil: number }>()
  let turn = 0
  let chosen: { router: Router; choice: Choice<SimNode>; ask: RouteRequest } | null = null

  return {
    name: "router",

    choose(nodes, { operator, domain }, { now, avoid }) {
      const router = routers[avoid.length === 0 ? ++turn % isolates : turn % isolates]!
      const ask = { operator: `op${operator}`, domain, recipients: part, avoidNodes: avoid }
      const choice = router.choose(nodes, ask, now)
      if (!choice) return null
      router.recordSent(choice, ask, now)
      chosen = { router, choice, ask }
      return choice
    },

    record(node, { operator }, { kind, ms, sourceIp }, now) {
      const { router } = chosen!
      router.recordDone(node.id, part)
      if (kind === "dead" || kind === "throttled") return
      const pair = { nodeId: node.id, sourceIp, operator: `op${operator}` }
      const opened = router.recordOutcome(pair, { outcomeClass: kind, recipients: part, ms, now })
      const key = `${sourceIp} ${operator}`
      const before = counted.get(key) ?? { ...pair, ...NO_COUNTS }
      for (const [name, value] of Object.entries(countsOf(kind, part, ms)))
        before[name as keyof Counts] = before[name as keyof Counts] + value
      counted.set(key, before)
      if (opened) held.set(key, { ...pair, openUntil: router.route(pair, now)!.openUntil })
    },

    sync(now) {
      for (const [key, { openUntil }] of held) if (openUntil < now) held.delete(key)
      const known = [...counted.values()].map(({ nodeId, sourceIp, operator, ...counts }) => ({
        nodeId,
        sourceIp,
        operator,
        counts,
      }))
      for (const router of routers) router.learn([...held.values(), ...known], now)
      for (const one of counted.values())
        for (const name of Object.keys(NO_COUNTS) as (keyof Counts)[]) one[name] *= 0.9
    },
  }
}
