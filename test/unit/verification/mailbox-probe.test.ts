import { describe, expect, test } from "vitest"
import type { ProbeRequest, RecipientLine, RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../../src/adapters/fleet/dispatch.ts"
import type { ProbeOptions, Probes } from "../../../src/adapters/fleet/fleet.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import type { MailboxEvidence } from "../../../src/domain/verification/evidence.ts"
import { type ProbeTarget, probeBatch } from "../../../src/services/verification/probe-mailboxes.ts"
import { testContext } from "../../support/deps/context.ts"
import { mailbox, nodeLine } from "../../support/deps/evidence.ts"

type Say = (address: string, request: ProbeRequest) => RecipientOutcome | null

/** Nodes by name, each with its reply about an address. Null leaves it unanswered. */
function fleet(
  nodes: Readonly<Record<string, Say>>,
  sourceIpOf: (request: ProbeRequest, address: string) => string = defaultSourceIp,
): Probes & { readonly asked: { node: string; request: ProbeRequest }[] } {
  const asked: { node: string; request: ProbeRequest }[] = []
  return {
    asked,
    count: async () => Object.keys(nodes).length,
    owner: async () => null,
    async probe(request, { avoidNodes = [], preferNode = null }: ProbeOptions) {
      const names = Object.keys(nodes).filter((name) => !avoidNodes.includes(name))
      const node = names.find((name) => name === preferNode) ?? names[0]
      if (node === undefined) return { kind: "unavailable" }
      asked.push({ node, request })
      const recipients = request.groups.flatMap((group) => group.recipients)
      async function* lines(): AsyncGenerator<NodeLine> {
        for (const { index, address } of recipients) {
          const outcome = nodes[node!]!(address, request)
          if (outcome)
            yield nodeLine(
              { ...mailbox(outcome), session: sessionFrom(sourceIpOf(request, address)), nodeId: node! },
              { index, isSuspect: address.startsWith("suspect") },
            )
        }
      }
      return { kind: "lines", lines: lines() }
    },
  }
}

const sessionFrom = (sourceIp: string) =>
  ({ heloName: "probe.test", envelopeSender: "check@probe.test", sourceIp }) as RecipientLine["session"]
const defaultSourceIp = ({ sourceIp, avoidSourceIps }: ProbeRequest) =>
  sourceIp ?? (avoidSourceIps.length > 0 ? "192.0.2.2" : "192.0.2.1")
const reply = (code: number, enhanced: string, text: string): RecipientOutcome => ({
  kind: "reply",
  stage: "rcpt",
  reply: { code, enhanced, text, ms: 1 },
})
const OK = reply(250, "2.1.5", "ok")
const MISSING = reply(550, "5.1.1", "no such user")
const BLOCKED = reply(554, "5.7.1", "Service unavailable; client host [192.0.2.1] blocked using zen.example.org")

const target = (email: string, host = "mx.example.test", before: MailboxEvidence | null = null): ProbeTarget => ({
  address: parseAddress(email) as ValidAddress,
  hosts: [{ host, preference: 10 }],
  before,
})

async function run(probes: Probes, targets: readonly ProbeTarget[]) {
  const clock = { now: () => Date.now(), sleep: async () => undefined }
  const found = new Map<string, string>()
  let tokens = 0
  const digests = await createDigests(["a pepper of at least 32 characters"])
  const ctx = testContext({ clock, probes, digests, randomToken: () => `token${tokens++}` })
  await probeBatch(
    ctx,
    { accountId: null, targets, deadlineMs: 10_000, priority: "bulk" },
    (index, { outcome, nodeId }) => {
      const what = outcome.kind === "reply" ? outcome.reply.code : outcome.failure
      found.set(targets[index]!.address.normalized, `${what} ${nodeId}`)
    },
  )
  return found
}

describe("many mailboxes in one request", () => {
  test("domains with the same mail hosts share a group, each with one random recipient", async () => {
    const probes = fleet({ one: () => OK })
    await run(probes, [target("a@x.test"), target("b@x.test"), target("c@y.test"), target("d@z.test", "other.test")])
    const groups = probes.asked[0]!.request.groups
    expect(groups.map(({ recipients, controls }) => [recipients.length, controls.length])).toEqual([
      [3, 2],
      [1, 1],
    ])
    expect(probes.asked.length).toBe(1)
  })

  test("a provider's own domain needs no random recipient, a domain hosted by it does", async () => {
    const probes = fleet({ one: () => OK })
    const host = "gmail-smtp-in.l.google.com"
    const evil = target("anna@evil.test", `nobody.${host}`)
    const hosts = [...evil.hosts, { host: "mx.evil.test", preference: 20 }]
    await run(probes, [target("anna@gmail.com", host), target("anna@company.test", host), { ...evil, hosts }])
    const siblings = probes.asked[0]!.request.groups.map(({ playbook, controls }) => [
      playbook.control,
      controls.map((address) => address.split("@")[1]),
    ])
    expect(siblings).toEqual([
      ["same-session", ["company.test"]],
      ["same-session", ["evil.test"]],
    ])
  })

  test("a target without an answer is not reported", async () => {
    const probes = fleet({ one: () => null })
    expect((await run(probes, [target("a@x.test")])).size).toBe(0)
  })

  const accepted = { nodeId: "one", outcome: OK, session: { sourceIp: "192.0.2.9" } } as unknown as MailboxEvidence
  test.each([
    ["existed before", target("a@x.test", "mx.example.test", accepted), ["one", "two"]],
    ["is missing like every mailbox probed from there", target("suspect@x.test"), ["one", "two"]],
    ["was never probed", target("a@x.test"), ["one"]],
  ])("a missing mailbox that %s", async (_, asked, nodes) => {
    const probes = fleet({ one: () => MISSING, two: () => OK })
    const found = await run(probes, [asked])
    expect(probes.asked.map(({ node }) => node)).toEqual(nodes)
    expect([...found.values()]).toEqual([nodes.length === 2 ? "250 two" : "550 one"])
  })

  test("a surprising answer stays when no other node is available", async () => {
    expect([...(await run(fleet({ one: () => MISSING }), [target("suspect@x.test")])).values()]).toEqual(["550 one"])
  })

  test("a refusal of the source IP is retried once from another one, and only a reply replaces it", async () => {
    const probes = fleet({ one: (_, { avoidSourceIps }) => (avoidSourceIps.includes("192.0.2.1") ? OK : BLOCKED) })
    expect(await run(probes, [target("a@x.test")])).toEqual(new Map([["a@x.test", "250 one"]]))
    const stubborn = fleet({ one: (_, { avoidSourceIps }) => (avoidSourceIps.length > 0 ? null : BLOCKED) })
    expect(await run(stubborn, [target("a@x.test")])).toEqual(new Map([["a@x.test", "554 one"]]))
  })

  test("targets refused from different source IPs each avoid only their own", async () => {
    const ips = ["192.0.2.1", "192.0.2.2"]
    const refusedAt = (address: string) => ips[address.startsWith("a") ? 0 : 1]!
    const left = ({ avoidSourceIps }: ProbeRequest) => ips.filter((ip) => !avoidSourceIps.includes(ip))
    const probes = fleet(
      { one: (_, request) => (left(request).length === 2 ? BLOCKED : left(request).length === 1 ? OK : null) },
      (_, address) => refusedAt(address),
    )
    const found = await run(probes, [target("a@x.test", "mx.x.test"), target("b@y.test", "mx.y.test")])
    expect([...found.values()]).toEqual(["250 one", "250 one"])
    expect(probes.asked.slice(1).map(({ request }) => request.avoidSourceIps)).toEqual([["192.0.2.1"], ["192.0.2.2"]])
  })

  test("a deferred target goes to the same node and source IP; a refused one goes anywhere", async () => {
    const probes = fleet({ one: () => OK, two: () => OK })
    const earlier = (outcome: RecipientOutcome) =>
      ({ nodeId: "two", outcome, session: { sourceIp: "192.0.2.9" } }) as unknown as MailboxEvidence
    const greylisted = earlier(reply(451, "4.7.1", "Greylisted, please come back later"))
    await run(probes, [
      target("a@x.test"),
      target("b@x.test", "mx.example.test", greylisted),
      target("c@x.test", "mx.example.test", earlier(BLOCKED)),
    ])
    expect(
      probes.asked
        .map(({ node, request }) => [node, request.sourceIp, request.groups[0]!.recipients.length])
        .toSorted(),
    ).toEqual([
      ["one", null, 2],
      ["two", "192.0.2.9", 1],
    ])
  })
})
