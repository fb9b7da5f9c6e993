import type { Counts, PairName } from "../../src/domain/fleet/pair.ts"
import { countsOf, NO_COUNTS } from "../../src/domain/fleet/pair.ts"
import { type Choice, type RouteAsk, Router } from "../../src/domain/fleet/router.ts"
import type { Question, Reply, SimNode } from "./fleet-world.ts"

export interface Chosen {
  readonly node: SimNode
  /** Source IPs of it not to be used. */
  readonly avoid: readonly string[]
}

/** Says who is to ask. Health is the same for all; what differs is the choice. */
export interface Chooser {
  readonly name: string
  choose(
    nodes: readonly SimNode[],
    question: Question,
    options: { now: number; avoid: readonly string[] },
  ): Chosen | null
  heard(node: SimNode, question: Question, reply: Reply, now: number): void
  /** Now and then: what isolates tell each other through the database. */
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
    heard: () => undefined,
    sync: () => undefined,
  }
}

export function byChance(random: () => number): Chooser {
  return {
    name: "random",
    choose(nodes, _, { avoid }) {
      const left = avoid.length === 0 ? nodes : nodes.filter(({ id }) => !avoid.includes(id))
      const node = left[Math.floor(random() * left.length)]
      return node ? { node, avoid: [] } : null
    },
    heard: () => undefined,
    sync: () => undefined,
  }
}

/** The router of the service, in several isolates that share only what the database holds. */
export function byRouter(random: () => number, { isolates, part }: { isolates: number; part: number }): Chooser {
  const routers = Array.from({ length: isolates }, () => new Router(random))
  const counted = new Map<string, PairName & Counts>()
  const held = new Map<string, PairName & { openUntil: number }>()
  let turn = 0
  let chosen: { router: Router; choice: Choice<SimNode>; ask: RouteAsk } | null = null

  return {
    name: "router",

    choose(nodes, { operator, domain }, { now, avoid }) {
      const router = routers[avoid.length === 0 ? ++turn % isolates : turn % isolates]!
      const ask = { operator: `op${operator}`, domain, recipients: part, avoidNodes: avoid }
      const choice = router.choose(nodes, ask, now)
      if (!choice) return null
      router.noteSent(choice, ask, now)
      chosen = { router, choice, ask }
      return choice
    },

    heard(node, { operator }, { kind, ms, sourceIp }, now) {
      const { router } = chosen!
      router.noteDone(node.id, part)
      if (kind === "dead" || kind === "throttled") return
      const pair = { nodeId: node.id, sourceIp, operator: `op${operator}` }
      const opened = router.noteFate(pair, { fate: kind, recipients: part, ms, now })
      const key = `${sourceIp} ${operator}`
      const before = counted.get(key) ?? { ...pair, ...NO_COUNTS }
      for (const [name, value] of Object.entries(countsOf(kind, part, ms)))
        before[name as keyof Counts] = before[name as keyof Counts] + value
      counted.set(key, before)
      if (opened) held.set(key, { ...pair, openUntil: router.pair(pair, now)!.openUntil })
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
