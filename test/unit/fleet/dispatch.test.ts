import { describe, expect, test } from "vitest"
import type { ProbeRequest, RecipientLine, RecipientOutcome } from "../../../schema/wire/probe.ts"
import { createProbes, type Fleet, type ProbeOptions } from "../../../src/adapters/fleet/fleet.ts"
import { FleetMemory } from "../../../src/adapters/fleet/fleet-memory.ts"
import type { FleetNode } from "../../../src/adapters/fleet/fleet-node.ts"
import type { NodeClient, ProbeEvents } from "../../../src/adapters/fleet/node-client.ts"
import { systemClock } from "../../../src/adapters/platform.ts"

type Said = RecipientOutcome | "nothing" | "dies" | "hangs"
type Behaviour = (address: string, request: ProbeRequest) => Said

const reply = (code: number, enhanced: string, text: string): RecipientOutcome => ({
  kind: "reply",
  stage: "rcpt",
  reply: { code, enhanced, text, ms: 1 },
})
const OK = reply(250, "2.1.5", "ok")
const THROTTLED: RecipientOutcome = { kind: "failure", stage: "connect", failure: "throttled", detail: "budget", ms: 0 }

interface Asked {
  readonly node: string
  readonly addresses: readonly string[]
  readonly request: ProbeRequest
}

/** A fleet of nodes with scripted behavior, each with a source IP "ip-<id>". */
function fleetOf(
  behaviours: Readonly<Record<string, Behaviour | "unreachable" | "refuses">>,
  own: readonly string[] = [],
) {
  const asked: Asked[] = []
  const aborted: string[] = []
  /** Nodes that sent their whole stream. */
  const ended: string[] = []
  const memory = new FleetMemory(Math.random)
  const nodes = Object.keys(behaviours).map(
    (id): FleetNode => ({
      ...{
        id,
        region: `region-${id}`,
        url: `https://${id}.test`,
        publicKeys: [],
        sourceIps: [`ip-${id}`],
        capacity: 100,
      },
      ...{ state: "healthy", load: 0, pausedIps: [], isStatic: true, health: null, version: null, drainedAt: null },
      accountId: own.includes(id) ? "acc" : null,
    }),
  )
  memory.replaceFleet(nodes, { routes: [], counts: [] }, Date.now())
  const nodeClient: Pick<NodeClient, "probe"> = {
    async probe(node, request, on) {
      const behaviour = behaviours[node.id]!
      const recipients = request.groups.flatMap((group) => group.recipients)
      asked.push({ node: node.id, addresses: recipients.map(({ address }) => address), request })
      if (behaviour === "unreachable") throw new Error("connect refused")
      if (behaviour === "refuses") return null
      return linesOf(node.id, behaviour, { request, on, aborted, ended })
    },
  }
  const fleet: Pick<Fleet, "all" | "usableNodes" | "flush"> = {
    all: async () => nodes,
    usableNodes: async (accountId) => memory.usableNodes(accountId),
    flush: async () => undefined,
  }
  const deps = { clock: systemClock, log: () => undefined, randomToken: () => "token", background: () => undefined }
  return { asked, aborted, ended, memory, probes: createProbes({ ...deps, fleet: fleet as Fleet, memory, nodeClient }) }
}

async function* linesOf(
  id: string,
  behaviour: Behaviour,
  { request, on, aborted, ended }: { request: ProbeRequest; on: ProbeEvents; aborted: string[]; ended: string[] },
): AsyncGenerator<RecipientLine> {
  for (const { index, address } of request.groups.flatMap((group) => group.recipients)) {
    const said = behaviour(address, request)
    if (said === "dies") return on.onCut()
    if (said === "hangs") {
      await new Promise((resolve) => on.signal.addEventListener("abort", resolve))
      aborted.push(id)
      return
    }
    if (said === "nothing") continue
    const names = { sourceIp: `ip-${id}`, heloName: `${id}.test`, envelopeSender: "" }
    const session = { ...names, connectMs: 1, greeting: null } as RecipientLine["session"]
    yield { type: "recipient", index, outcome: said, control: null, session, attempts: [], totalMs: 1 }
  }
  await new Promise((resolve) => setImmediate(resolve)) // the stream's own end
  if (on.signal.aborted) aborted.push(id)
  ended.push(id)
}

const request = (addresses: readonly string[], more: Partial<ProbeRequest> = {}): ProbeRequest => ({
  ...{ requestId: "r", deadlineMs: 5_000, priority: "bulk", sourceIp: null, avoidSourceIps: [] },
  groups: [
    {
      mx: [{ host: "mx.test", preference: 10 }],
      playbook: {
        ...{ operator: "op", pipelining: true, starttls: true, control: "same-session" },
        ...{ recipientsPerSession: 20, sessionsPerHost: 5 },
      },
      recipients: addresses.map((address, index) => ({ index, address })),
      controls: ["random@x.test"],
    },
  ],
  ...more,
})
const MANY = Array.from({ length: 12 }, (_, n) => `user${n}@x.test`)

async function ask(fleet: ReturnType<typeof fleetOf>, probe: ProbeRequest, options: Partial<ProbeOptions> = {}) {
  const answer = await fleet.probes.probe(probe, { accountId: null, ...options })
  if (answer.kind === "unavailable") return null
  const heard: { index: number; node: string; what: string }[] = []
  for await (const { index, nodeId, outcome } of answer.lines)
    heard.push({ index, node: nodeId, what: outcome.kind === "reply" ? String(outcome.reply.code) : outcome.failure })
  return heard
}

describe("a node that fails", () => {
  test.each(["dies", "nothing"] as const)(
    "in mid-response (%s) loses no result: another node probes the rest",
    async (how) => {
      for (let run = 0; run < 10; run++) {
        let answers = 0
        const failing: Behaviour = () => (answers++ < 5 ? OK : how)
        const fleet = fleetOf({ one: failing, two: () => OK, three: () => OK })
        const heard = (await ask(fleet, request(MANY), { preferNode: "one" }))!
        expect(heard.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(MANY.map((_, index) => index))
        expect(heard.every(({ what }) => what === "250")).toBe(true)
        expect(fleet.asked).toHaveLength(2)
        expect(fleet.asked[1]!.addresses).toEqual(MANY.slice(5))
      }
    },
  )

  test.each(["unreachable", "refuses"] as const)("altogether (%s) is passed over", async (how) => {
    const fleet = fleetOf({ one: how, two: () => OK })
    expect(await ask(fleet, request(["a@x.test"]), { preferNode: "one" })).toMatchObject([{ node: "two" }])
  })

  test("gets a second request when it is the only one; then the recipient stays open", async () => {
    const fleet = fleetOf({ one: () => "nothing" })
    expect(await ask(fleet, request(["a@x.test"]))).toEqual([])
    expect(fleet.asked.map(({ node }) => node)).toEqual(["one", "one"])
  })

  test("ends the request after three rounds when all others fail too", async () => {
    const fleet = fleetOf({ one: "unreachable", two: "unreachable", three: "unreachable", four: "unreachable" })
    expect(await ask(fleet, request(["a@x.test"]))).toEqual([])
    expect(new Set(fleet.asked.map(({ node }) => node)).size).toBe(3)
  })
})

describe("a throttled node", () => {
  test("passes the recipient to another node", async () => {
    const fleet = fleetOf({ one: () => THROTTLED, two: () => OK })
    expect(await ask(fleet, request(["a@x.test"]), { preferNode: "one" })).toMatchObject([{ node: "two", what: "250" }])
  })

  test("returns its own outcome when every node is throttled", async () => {
    const fleet = fleetOf({ one: () => THROTTLED, two: () => THROTTLED })
    expect(await ask(fleet, request(["a@x.test"]))).toMatchObject([{ what: "throttled" }])
  })
})

describe("an interactive request", () => {
  const hurried = (address: string) => request([address], { priority: "interactive" })

  test("gets the result of a second node when the first is late, once, and aborts the first", async () => {
    const fleet = fleetOf({ one: () => "hangs", two: () => OK })
    for (let i = 0; i < 64; i++) fleet.memory.hedge.recordAnswerTime("op", 10)
    expect(await ask(fleet, hurried("a@x.test"), { preferNode: "one" })).toMatchObject([{ node: "two", what: "250" }])
    expect(fleet.aborted).toEqual(["one"])
  })

  test("is not hedged when nodes are fast", async () => {
    const fleet = fleetOf({ one: () => OK, two: () => OK })
    // Answers usually take long enough that this one is fast on any machine.
    for (let i = 0; i < 64; i++) fleet.memory.hedge.recordAnswerTime("op", 60_000)
    await ask(fleet, hurried("a@x.test"))
    expect(fleet.asked).toHaveLength(1)
  })

  test("aborts the node when the caller stops reading", async () => {
    const fleet = fleetOf({ one: (address) => (address.startsWith("a") ? OK : "hangs") })
    const answer = await fleet.probes.probe(request(["a@x.test", "b@x.test"]), { accountId: null })
    if (answer.kind === "lines") for await (const _ of answer.lines) break
    await expect.poll(() => fleet.aborted).toEqual(["one"])
  })
})

describe("the choice of nodes", () => {
  test("lets a node end its complete stream, so that the connection stays open", async () => {
    const fleet = fleetOf({ one: () => OK })
    expect(await ask(fleet, request(MANY))).toHaveLength(MANY.length)
    await expect.poll(() => fleet.ended).toEqual(["one"])
    expect(fleet.aborted).toEqual([])
  })

  test("avoids a source IP after an unknown operator blocks it", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked, two: () => OK })
    await ask(fleet, request(["a@x.test", "b@x.test"]), { preferNode: "one" })
    for (let i = 0; i < 20; i++) expect(await ask(fleet, request(["c@x.test"]))).toMatchObject([{ node: "two" }])
    const { paused, counts } = fleet.memory.drainUnsavedCounts(Date.now())!
    expect(paused).toEqual([])
    expect(counts.find(({ nodeId }) => nodeId === "one")).toMatchObject({ operator: "other", blocked: 2 })
    expect(fleet.memory.drainUnsavedCounts(Date.now())).toBeNull()
  })

  test("pauses a source IP for all callers after a known operator blocks it", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked })
    const asked = request(["a@x.test", "b@x.test"])
    const [group] = asked.groups
    await ask(fleet, { ...asked, groups: [{ ...group!, playbook: { ...group!.playbook, operator: "google" } }] })
    const { paused, counts } = fleet.memory.drainUnsavedCounts(Date.now())!
    expect(paused).toMatchObject([{ nodeId: "one", sourceIp: "ip-one", operator: "google" }])
    expect(counts).toMatchObject([{ nodeId: "one", operator: "google", blocked: 2 }])
  })

  test("fails rather than use a blocked source IP with onlyWelcome", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked })
    await ask(fleet, request(["a@x.test", "b@x.test"]))
    expect(await ask(fleet, request(["c@x.test"]), { onlyUnblocked: true })).toEqual([])
    expect(fleet.asked).toHaveLength(1)
  })

  test("splits a large group, each part with the random recipients of its own domains", async () => {
    const fleet = fleetOf({ one: () => OK, two: () => OK, three: () => OK })
    const many = Array.from({ length: 1_000 }, (_, n) => `user${n}@${n < 500 ? "x" : "y"}.test`)
    const probe = request(many)
    const group = { ...probe.groups[0]!, controls: ["random@x.test", "random@y.test"] }
    expect(await ask(fleet, { ...probe, groups: [group] })).toHaveLength(1_000)
    expect(new Set(fleet.asked.map(({ node }) => node)).size).toBeGreaterThan(1)
    for (const { groups } of fleet.asked.map(({ request }) => request))
      for (const { recipients, controls } of groups)
        expect(controls.map((address) => address.split("@")[1])).toEqual([
          ...new Set(recipients.map(({ address }) => address.split("@")[1])),
        ])
  })

  test("uses an account's own nodes for the account, shared nodes for all others", async () => {
    const fleet = fleetOf({ shared: () => OK, own: () => OK }, ["own"])
    expect(await ask(fleet, request(["a@x.test"]))).toMatchObject([{ node: "shared" }])
    const { probes } = fleet
    const answer = await probes.probe(request(["a@x.test"]), { accountId: "acc" })
    if (answer.kind === "lines")
      for await (const line of answer.lines) expect(line).toMatchObject({ nodeId: "own", isPrivate: true })
    expect([await probes.count(null), await probes.count("acc"), await probes.count("other")]).toEqual([1, 1, 1])
    expect(fleet.asked.map(({ node }) => node)).toEqual(["shared", "own"])
  })
})

test.each([
  ["its class", reply(550, "5.1.1", "no such user"), { class: "mailbox_missing" }],
  ["its class, by the names of the session", reply(550, "5.1.2", "no such domain one.test"), { class: "refuses_us" }],
  ["none without a reply", THROTTLED, null],
] as const)("a line carries the classified reply: %s", async (_, outcome, classified) => {
  const answer = await fleetOf({ one: () => outcome }).probes.probe(request(["a@x.test"]), { accountId: null })
  if (answer.kind === "unavailable") throw new Error("no node")
  const found = []
  for await (const line of answer.lines) found.push(line.classified)
  expect(found).toEqual([classified && expect.objectContaining(classified)])
})
