import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { z } from "zod"
import manifest from "../../package.json" with { type: "json" }
import { NodeHealth } from "../../schema/wire/health.ts"
import { ProbeLine, ProbeRequest } from "../../schema/wire/probe.ts"
import { RblAnswer, RblRequest } from "../../schema/wire/rbl.ts"
import firstRelease from "../support/inputs/first-release-wire.json" with { type: "json" }
import { LATER_VERSION, withFurtherFields } from "../support/mail/faulty-node.ts"
import { probeRequest, testEngine } from "../support/mail/probe-engine.ts"
import { linesOf, send, signFor, startTestNode } from "../support/mail/probe-server.ts"
import { startScriptedSmtp } from "../support/mail/smtp-script.ts"
import { type LocalFleet, startLocalFleet } from "../support/stack/local-fleet.ts"
import { eventually } from "../support/time/until.ts"

/**
 * Edge and nodes are updated one after the other, so each works with the other's next and former version. A later version
 * only adds fields, and each side ignores those that it does not know.
 */
const MESSAGES: readonly (readonly [name: keyof typeof firstRelease, schema: z.ZodType])[] = [
  ["health", NodeHealth],
  ["request", ProbeRequest],
  ["recipient", ProbeLine],
  ["end", ProbeLine],
  ["blocklists", RblRequest],
  ["listings", RblAnswer],
]

describe.each(MESSAGES)("the message %s of the first release", (name, schema) => {
  test("is read completely by this version", () => {
    expect(schema.parse(firstRelease[name])).toEqual(firstRelease[name])
  })

  test("is read with further fields in each part", () => {
    expect(schema.parse(withFurtherFields(firstRelease[name]))).toEqual(firstRelease[name])
  })
})

test("a node answers an edge of a later version, whose requests have further fields", async () => {
  const smtp = await startScriptedSmtp({ mailboxes: ["anna"] })
  const node = await startTestNode(testEngine({ port: smtp.port, hosts: { "mx.test": [smtp.address] } }))
  try {
    const request = withFurtherFields(probeRequest({ to: ["anna@a.test", "gone@a.test"] }))
    const signed = await signFor(node, { body: JSON.stringify(request) })
    const lines = await linesOf(node, signed.nonce, await send(signed))
    expect(lines.map((line) => line?.type)).toEqual(["recipient", "recipient", "end"])
  } finally {
    await node.drain(0)
    await smtp.close()
  }
})

describe("a service with a node of its own version and one of a later version", () => {
  let fleet: LocalFleet
  const admin = () => ({ headers: { "x-admin-secret": fleet.stack.secrets.adminSecret } })
  const WAIT = { interval: 200 }

  beforeAll(async () => {
    fleet = await startLocalFleet()
    await fleet.startNode({ id: "node-later", sourceIp: "127.0.0.1", fault: "later version" })
  })
  afterAll(() => fleet.stop())

  async function versions() {
    const { body } = await fleet.call<{ nodes: Record<string, unknown>[] }>("GET", "/fleet/nodes", admin())
    return body.nodes.map(({ id, state, version, version_differs }) => ({ id, state, version, version_differs }))
  }

  test("uses the later node, and marks it for the operator", async () => {
    const later = { id: "node-later", state: "healthy", version: LATER_VERSION, version_differs: true }
    await eventually(async () => expect(await versions()).toEqual([later]), WAIT)
    const { body } = await fleet.call<{ status: string }>("GET", "/validate", {
      at: "/validate?email=alice@mailbox.test",
    })
    expect(body).toMatchObject({ status: "valid" })

    await fleet.startNode({ id: "node-own", sourceIp: "127.0.0.2" })
    const own = { id: "node-own", state: "healthy", version: manifest.version, version_differs: false }
    await eventually(async () => expect(await versions()).toEqual([later, own]), WAIT)
    const health = await fleet.call<{ regions: { probes: object[] }[] }>("GET", "/regions/health", admin())
    expect(health.body.regions[0]!.probes).toMatchObject([
      { version: LATER_VERSION, version_differs: true },
      { version: manifest.version, version_differs: false },
    ])
  })
})
