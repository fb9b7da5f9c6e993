import { parseArgs } from "node:util"
import { byRouter, type Chooser, randomChoice, roundRobin } from "./sim/fleet-choosers.ts"
import { FleetWorld, mulberry32, type SimNode } from "./sim/fleet-world.ts"

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

interface Sums {
  readonly name: string
  requests: number
  answered: number
  blocked: number
  deferred: number
  throttled: number
  dead: number
  ms: number
  readonly perNode: number[]
  readonly blocksPerIp: Map<string, number>
  /** Capacity times lifetime. */
  readonly lived: number[]
  seconds: number
}

function run(make: (random: () => number) => Chooser): Sums {
  const options = {
    ...{ nodes: Number(values.nodes), operators: Number(values.operators), addressesPerSecond: Number(values.rate) },
    ...{ part: PART, sample: Number(values.sample), seed: Number(values.seed) },
  }
  const world = new FleetWorld(options)
  const chooser = make(mulberry32(Number(values.seed) + 1))
  const zeros = () => world.nodes.map(() => 0)
  const sums: Sums = {
    ...{ name: chooser.name, requests: 0, answered: 0, blocked: 0, deferred: 0, throttled: 0, dead: 0, ms: 0 },
    ...{ perNode: zeros(), lived: zeros(), seconds: 0 },
    blocksPerIp: new Map(world.nodes.flatMap(({ sourceIps }) => sourceIps.map((ip) => [ip, 0]))),
  }
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

interface Attempt {
  readonly world: FleetWorld
  readonly chooser: Chooser
  readonly sums: Sums
  readonly usable: readonly SimNode[]
  readonly now: number
}

/** Sends one request. Retries with another node when a node is dead, throttled or blocked, as the service does. */
function probeOnce({ world, chooser, sums, usable, now }: Attempt): void {
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
    sums[reply.kind]++
    if (reply.kind !== "dead" && reply.kind !== "throttled") sums.perNode[node.index]!++
    if (reply.kind === "blocked") sums.blocksPerIp.set(reply.sourceIp, sums.blocksPerIp.get(reply.sourceIp)! + 1)
    if (reply.kind === "answered") return
    // A deferred address is retried later at the same node: its answer is late, not lost.
    if (reply.kind === "deferred") {
      sums.answered++
      return
    }
    avoid.push(node.id)
  }
}

function report(all: readonly Sums[]): void {
  const rows = all.map((sums) => ({
    "chosen by": sums.name,
    "answered %": percent(sums.answered, sums.requests),
    "blocked %": percent(sums.blocked, sums.requests),
    "blocks per IP": (sums.blocked / sums.blocksPerIp.size).toFixed(1),
    "worst IP": Math.max(...sums.blocksPerIp.values()),
    "deferred %": percent(sums.deferred, sums.requests),
    "retried %": percent(sums.throttled + sums.dead + sums.blocked, sums.requests),
    "mean ms": (sums.ms / sums.requests).toFixed(0),
    "max load / mean": imbalance(sums).toFixed(2),
    "took s": sums.seconds.toFixed(1),
  }))
  console.table(rows)
}

/** Highest load relative to the mean, in work per capacity and lifetime. */
function imbalance({ perNode, lived }: Sums): number {
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
const fewer = 1 - routed!.blocked / turns!.blocked
const load = imbalance(routed!)
const isGood = fewer >= 0.3 && load <= 1.5 && routed!.answered >= turns!.answered
console.log(
  `${(fewer * 100).toFixed(0)} % fewer blocks than round-robin (at least 30), highest load ${load.toFixed(2)} of the mean (at most 1.5)`,
)
if (!isGood) process.exitCode = 1
