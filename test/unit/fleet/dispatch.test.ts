import { describe, expect, test } from "vitest"
import type { ProbeRequest, RecipientLine, RecipientOutcome } from "../../../schema/wire/probe.ts"
import { systemClock } from "../../../src/adapters/platform.ts"
import type { Fleet } from "../../../src/adapters/probes/fleet.ts"
import { FleetMemory } from "../../../src/adapters/probes/fleet-memory.ts"
import type { FleetNode } from "../../../src/adapters/probes/fleet-node.ts"
import type { NodeDoor, ProbeEvents } from "../../../src/adapters/probes/node-door.ts"
import { type AskOptions, createProbes } from "../../../src/adapters/probes/probes.ts"

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

/** A fleet of nodes that behave as told, each with a source IP "ip-<id>". */
function fleetOf(
  behaviours: Readonly<Record<string, Behaviour | "unreachable" | "refuses">>,
  own: readonly string[] = [],
) {
  const asked: Asked[] = []
  const aborted: string[] = []
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
      ...{ state: "healthy", load: 0, resting: [], isStatic: true, health: null, version: null },
      accountId: own.includes(id) ? "acc" : null,
    }),
  )
  memory.take(nodes, { pairs: [], counts: [] }, Date.now())
  const door: Pick<NodeDoor, "probe"> = {
    async probe(node, request, on) {
      const behaviour = behaviours[node.id]!
      const recipients = request.groups.flatMap((group) => group.recipients)
      asked.push({ node: node.id, addresses: recipients.map(({ address }) => address), request })
      if (behaviour === "unreachable") throw new Error("connect refused")
      if (behaviour === "refuses") return null
      return linesOf(node.id, behaviour, { request, on, aborted })
    },
  }
  const fleet: Pick<Fleet, "all" | "askable" | "flush"> = {
    all: async () => nodes,
    askable: async (accountId) => memory.askable(accountId),
    flush: async () => undefined,
  }
  const needs = { clock: systemClock, log: () => undefined, randomToken: () => "token", background: () => undefined }
  return { asked, aborted, memory, probes: createProbes({ ...needs, fleet: fleet as Fleet, memory, door }, () => null) }
}

async function* linesOf(
  id: string,
  behaviour: Behaviour,
  { request, on, aborted }: { request: ProbeRequest; on: ProbeEvents; aborted: string[] },
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

async function ask(fleet: ReturnType<typeof fleetOf>, probe: ProbeRequest, options?: AskOptions) {
  const answer = await fleet.probes.ask(probe, options)
  if (answer.kind === "unavailable") return null
  const heard: { index: number; node: string; what: string }[] = []
  for await (const { index, nodeId, outcome } of answer.lines)
    heard.push({ index, node: nodeId, what: outcome.kind === "reply" ? String(outcome.reply.code) : outcome.failure })
  return heard
}

describe("a node that fails", () => {
  test.each(["dies", "nothing"] as const)(
    "in mid-answer (%s) costs no answer: the rest is asked of another",
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

  test("is asked again when it is the only one; then the recipient stays open", async () => {
    const fleet = fleetOf({ one: () => "nothing" })
    expect(await ask(fleet, request(["a@x.test"]))).toEqual([])
    expect(fleet.asked.map(({ node }) => node)).toEqual(["one", "one"])
  })

  test("with all others ends after three rounds", async () => {
    const fleet = fleetOf({ one: "unreachable", two: "unreachable", three: "unreachable", four: "unreachable" })
    expect(await ask(fleet, request(["a@x.test"]))).toEqual([])
    expect(new Set(fleet.asked.map(({ node }) => node)).size).toBe(3)
  })
})

describe("a node that may not ask", () => {
  test("hands on to another", async () => {
    const fleet = fleetOf({ one: () => THROTTLED, two: () => OK })
    expect(await ask(fleet, request(["a@x.test"]), { preferNode: "one" })).toMatchObject([{ node: "two", what: "250" }])
  })

  test("has the last word when nobody may", async () => {
    const fleet = fleetOf({ one: () => THROTTLED, two: () => THROTTLED })
    expect(await ask(fleet, request(["a@x.test"]))).toMatchObject([{ what: "throttled" }])
  })
})

describe("somebody who waits", () => {
  const hurried = (address: string) => request([address], { priority: "interactive" })

  test("gets the answer of a second node when the first is late, once, and the first is let go", async () => {
    const fleet = fleetOf({ one: () => "hangs", two: () => OK })
    for (let i = 0; i < 64; i++) fleet.memory.hedge.noteAnswer("op", 10)
    expect(await ask(fleet, hurried("a@x.test"), { preferNode: "one" })).toMatchObject([{ node: "two", what: "250" }])
    expect(fleet.aborted).toEqual(["one"])
  })

  test("is not served twice by quick nodes", async () => {
    const fleet = fleetOf({ one: () => OK, two: () => OK })
    await ask(fleet, hurried("a@x.test"))
    expect(fleet.asked).toHaveLength(1)
  })

  test("may stop listening, which stops the node", async () => {
    const fleet = fleetOf({ one: (address) => (address.startsWith("a") ? OK : "hangs") })
    const answer = await fleet.probes.ask(request(["a@x.test", "b@x.test"]))
    if (answer.kind === "lines") for await (const _ of answer.lines) break
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(fleet.aborted).toEqual(["one"])
  })
})

describe("who is asked", () => {
  test("may end its stream when it has told all it was asked: the connection is kept", async () => {
    const fleet = fleetOf({ one: () => OK })
    expect(await ask(fleet, request(MANY))).toHaveLength(MANY.length)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(fleet.aborted).toEqual([])
  })

  test("an operator that turns an IP away is asked from another from then on", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked, two: () => OK })
    await ask(fleet, request(["a@x.test", "b@x.test"]), { preferNode: "one" })
    for (let i = 0; i < 20; i++) expect(await ask(fleet, request(["c@x.test"]))).toMatchObject([{ node: "two" }])
    const { held, counts } = fleet.memory.takeUnwritten(Date.now())!
    expect(held).toEqual([])
    expect(counts.find(({ nodeId }) => nodeId === "one")).toMatchObject({ operator: "other", blocked: 2 })
    expect(fleet.memory.takeUnwritten(Date.now())).toBeNull()
  })

  test("an operator with a name that turns an IP away is held off for everybody", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked })
    const asked = request(["a@x.test", "b@x.test"])
    const [group] = asked.groups
    await ask(fleet, { ...asked, groups: [{ ...group!, playbook: { ...group!.playbook, operator: "google" } }] })
    const { held, counts } = fleet.memory.takeUnwritten(Date.now())!
    expect(held).toMatchObject([{ nodeId: "one", sourceIp: "ip-one", operator: "google" }])
    expect(counts).toMatchObject([{ nodeId: "one", operator: "google", blocked: 2 }])
  })

  test("nobody, rather than an IP that is held off, where only the welcome are wanted", async () => {
    const blocked = reply(554, "5.7.1", "client host [192.0.2.1] blocked using zen.example.org")
    const fleet = fleetOf({ one: () => blocked })
    await ask(fleet, request(["a@x.test", "b@x.test"]))
    expect(await ask(fleet, request(["c@x.test"]), { onlyWelcome: true })).toEqual([])
    expect(fleet.asked).toHaveLength(1)
  })

  test("a large group is shared out, each part with the controls of its own domains", async () => {
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

  test("an account's own nodes for the account, shared ones for everybody else", async () => {
    const fleet = fleetOf({ shared: () => OK, own: () => OK }, ["own"])
    expect(await ask(fleet, request(["a@x.test"]))).toMatchObject([{ node: "shared" }])
    const { probes } = fleet
    const mine = probes.forAccount("acc")
    const answer = await mine.ask(request(["a@x.test"]))
    if (answer.kind === "lines")
      for await (const line of answer.lines) expect(line).toMatchObject({ nodeId: "own", isPrivate: true })
    expect([await probes.count(), await mine.count(), await probes.forAccount("other").count()]).toEqual([1, 1, 1])
    expect(fleet.asked.map(({ node }) => node)).toEqual(["shared", "own"])
  })
})
