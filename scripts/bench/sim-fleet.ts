import { parseArgs } from "node:util"
import { type Counts, countsOf, NO_COUNTS, type RouteName } from "../../src/domain/fleet/route-stats.ts"
import { type Choice, type RouteRequest, Router } from "../../src/domain/fleet/router.ts"
import { FleetWorld, mulberry32, type Reply, type SimNode, type SimRequest } from "./sim/fleet-world.ts"

/** Chooses the node for a request. All choosers see the same health; only the choice differs. */
interface Chooser {
  readonly name: string
  /** @returns the node, and those of its source IPs that it must not use */
  choose(
    nodes: readonly SimNode[],
    request: SimRequest,
    options: { now: number; avoid: readonly string[] },
  ): { readonly node: SimNode; readonly avoid: readonly string[] } | null
  record(node: SimNode, request: SimRequest, reply: Reply, now: number): void
  /** Called at intervals: isolates share their statistics through the database. */
  sync(now: number): void
}

function roundRobin(): Chooser {
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

function randomChoice(random: () => number): Chooser {
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
function byRouter(random: () => number, { isolates, part }: { isolates: number; part: number }): Chooser {
  const routers = Array.from({ length: isolates }, () => new Router(random))
  const counted = new Map<string, RouteName & Counts>()
  const open = new Map<string, RouteName & { openUntil: number }>()
  let turn = 0
  let chosen: { router: Router; choice: Choice<SimNode>; routeRequest: RouteRequest } | null = null

  return {
    name: "router",

    choose(nodes, { operator, domain }, { now, avoid }) {
      const router = routers[avoid.length === 0 ? ++turn % isolates : turn % isolates]!
      const routeRequest = { operator: `op${operator}`, domain, recipients: part, avoidNodes: avoid }
      const choice = router.choose(nodes, routeRequest, now)
      if (!choice) return null
      router.recordSent(choice, routeRequest, now)
      chosen = { router, choice, routeRequest }
      return choice
    },

    record(node, { operator }, { kind, ms, sourceIp }, now) {
      const { router } = chosen!
      router.recordDone(node.id, part)
      if (kind === "dead" || kind === "throttled") return
      const route = { nodeId: node.id, sourceIp, operator: `op${operator}` }
      const opened = router.recordOutcome(route, { outcomeClass: kind, recipients: part, ms, now })
      const key = `${sourceIp} ${operator}`
      const before = counted.get(key) ?? { ...route, ...NO_COUNTS }
      for (const [name, value] of Object.entries(countsOf(kind, part, ms)))
        before[name as keyof Counts] = before[name as keyof Counts] + value
      counted.set(key, before)
      if (opened) open.set(key, { ...route, openUntil: router.route(route, now)!.openUntil })
    },

    sync(now) {
      for (const [key, { openUntil }] of open) if (openUntil < now) open.delete(key)
      const known = [...counted.values()].map(({ nodeId, sourceIp, operator, ...counts }) => {
        return { nodeId, sourceIp, operator, counts }
      })
      for (const router of routers) router.learn([...open.values(), ...known], now)
      for (const one of counted.values())
        for (const name of Object.keys(NO_COUNTS) as (keyof Counts)[]) one[name] *= 0.9
    },
  }
}

/** Simulates a day of a fleet in a minute: compares the service's router with round-robin and random choice. */

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "200" },
    operators: { type: "string", default: "50" },
    rate: { type: "string", default: "10000" },
    hours: { type: "string", default: "24" },
    sample: { type: "string", default: "32" },
    seed: { type: "string", default: "1" },
  },
})
const PART = 100
const ISOLATES = 4
const TRIES = 3
const CHURN_MS = 30_000
/** Isolates share their statistics every 20 s. The simulation does so less often, which is harder and cheaper. */
const SYNC_MS = 900_000

function newSums(name: string, { nodes }: FleetWorld) {
  const zeros = () => nodes.map(() => 0)
  return {
    name,
    counts: { answered: 0, blocked: 0, deferred: 0, throttled: 0, dead: 0 },
    requests: 0,
    ms: 0,
    seconds: 0,
    perNode: zeros(),
    /** Capacity times lifetime. */
    lived: zeros(),
    blocksPerIp: new Map(nodes.flatMap(({ sourceIps }) => sourceIps.map((ip) => [ip, 0]))),
  }
}
type Sums = ReturnType<typeof newSums>

function run(make: (random: () => number) => Chooser): Sums {
  const options = {
    nodes: Number(values.nodes),
    operators: Number(values.operators),
    addressesPerSecond: Number(values.rate),
    part: PART,
    sample: Number(values.sample),
    seed: Number(values.seed),
  }
  const world = new FleetWorld(options)
  const chooser = make(mulberry32(Number(values.seed) + 1))
  const sums = newSums(chooser.name, world)
  const stepMs = (1_000 * PART * options.sample) / options.addressesPerSecond
  const endMs = Number(values.hours) * 3_600_000
  const startedAt = performance.now()
  let usable: readonly SimNode[] = world.nodes
  let churnedAt = 0
  let syncedAt = 0
  for (let now = 1; now < endMs; now += stepMs) {
    if (now - churnedAt >= CHURN_MS) {
      if (world.churn(now)) usable = world.nodes.filter(({ state }) => state === "healthy")
      for (const { index, capacity, deadUntil } of world.nodes)
        if (deadUntil === 0) sums.lived[index]! += (capacity * (now - churnedAt)) / endMs
      churnedAt = now
    }
    if (now - syncedAt >= SYNC_MS) {
      chooser.sync(now)
      syncedAt = now
    }
    probeOnce({ world, chooser, sums, usable, now })
  }
  sums.seconds = (performance.now() - startedAt) / 1_000
  return sums
}

/** Sends one request. Retries with another node when a node is dead, throttled or blocked, as the service does. */
function probeOnce({
  world,
  chooser,
  sums,
  usable,
  now,
}: {
  world: FleetWorld
  chooser: Chooser
  sums: Sums
  usable: readonly SimNode[]
  now: number
}): void {
  const request = world.nextRequest()
  const avoid: string[] = []
  sums.requests++
  for (let tries = 0; tries < TRIES; tries++) {
    const chosen = chooser.choose(usable, request, { now, avoid })
    if (!chosen) return
    const { node } = chosen
    const reply = world.probe(node, request, { now, avoid: chosen.avoid })
    chooser.record(node, request, reply, now)
    sums.ms += reply.ms
    sums.counts[reply.kind]++
    if (reply.kind !== "dead" && reply.kind !== "throttled") sums.perNode[node.index]!++
    if (reply.kind === "blocked") sums.blocksPerIp.set(reply.sourceIp, sums.blocksPerIp.get(reply.sourceIp)! + 1)
    if (reply.kind === "answered") return
    // A deferred address is retried later at the same node: its answer is late, not lost.
    if (reply.kind === "deferred") {
      sums.counts.answered++
      return
    }
    avoid.push(node.id)
  }
}

function report(all: readonly Sums[]): void {
  const rows = all.map(({ counts, ...sums }) => ({
    "chosen by": sums.name,
    "answered %": percent(counts.answered, sums.requests),
    "blocked %": percent(counts.blocked, sums.requests),
    "blocks per IP": (counts.blocked / sums.blocksPerIp.size).toFixed(1),
    "worst IP": Math.max(...sums.blocksPerIp.values()),
    "deferred %": percent(counts.deferred, sums.requests),
    "retried %": percent(counts.throttled + counts.dead + counts.blocked, sums.requests),
    "mean ms": (sums.ms / sums.requests).toFixed(0),
    "max load / mean": imbalance(sums).toFixed(2),
    "took s": sums.seconds.toFixed(1),
  }))
  console.table(rows)
}

/** Highest load relative to the mean, in work per capacity and lifetime. */
function imbalance({ perNode, lived }: Pick<Sums, "perNode" | "lived">): number {
  const loads = perNode.map((work, index) => work / Math.max(1, lived[index]!))
  return Math.max(...loads) / (perNode.reduce((a, b) => a + b, 0) / lived.reduce((a, b) => a + b, 0))
}

const percent = (part: number, all: number) => ((100 * part) / all).toFixed(2)

const results = [
  roundRobin,
  randomChoice,
  (random: () => number) => byRouter(random, { isolates: ISOLATES, part: PART }),
].map(run)
report(results)
const [turns, , routed] = results
const fewer = 1 - routed!.counts.blocked / turns!.counts.blocked
const load = imbalance(routed!)
const isGood = fewer >= 0.3 && load <= 1.5 && routed!.counts.answered >= turns!.counts.answered
console.log(
  `${(fewer * 100).toFixed(0)} % fewer blocks than round-robin (at least 30), highest load ${load.toFixed(2)} of the mean (at most 1.5)`,
)
if (!isGood) process.exitCode = 1
