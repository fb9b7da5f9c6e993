import { describe, expect, test } from "vitest"
import { HEALTH_LIMITS, type NodeHealth } from "../../../schema/wire/health.ts"
import type { RblAnswer } from "../../../schema/wire/rbl.ts"
import { signResponse } from "../../../schema/wire/signature.ts"
import { createNodeClient, RBL_MAX_BYTES } from "../../../src/adapters/fleet/node-client.ts"
import { systemClock } from "../../../src/adapters/platform.ts"
import { otherSigningKey, rfcSigningKey, rfcTrustedKey } from "../../support/providers/signing-keys.ts"

const node = { id: "n1", url: "https://n1.example.org", publicKeys: [rfcTrustedKey] }
const lookup = { requestId: "r1", deadlineMs: 1_000, ips: ["192.0.2.1"], zones: ["bl.test"] }
const json = { "content-type": "application/json" }

function doorTo(fetch: (url: string, init: RequestInit) => Promise<Response>) {
  const deps = { clock: systemClock, log: () => undefined, randomToken: () => "nonce" }
  return createNodeClient({ ...deps, config: { signingKey: otherSigningKey }, fetch: fetch as never })
}

/** A node that signs its response, padded with white space as JSON allows. */
function doorToNodeThatSays(answer: object, room = 0) {
  const body = Uint8Array.from(new TextEncoder().encode(JSON.stringify(answer) + " ".repeat(room)))
  return doorTo(async (url, init) => {
    const request = { method: init.method!, url, headers: new Headers(init.headers), body: new Uint8Array() }
    const wire = { status: 200, headers: new Headers(json), body }
    const stamp = { nowSeconds: Math.floor(Date.now() / 1_000), nonce: "nonce" }
    return new Response(body, { headers: await signResponse(wire, request, rfcSigningKey, stamp) })
  })
}

/** 32 MB without a signature, from a few bytes of gzip. */
function doorToFlood() {
  const chunk = new Uint8Array(65_536)
  const seen = { chunks: 0, cancelled: false }
  const flood = new ReadableStream({
    pull: (stream) => (++seen.chunks > 512 ? stream.close() : stream.enqueue(chunk)),
    cancel: () => {
      seen.cancelled = true
    },
  })
  return { seen, nodeClient: doorTo(async () => new Response(flood, { headers: json })) }
}

const health: NodeHealth = {
  ...{ id: "n1", region: "eu", version: "1", serverTime: Date.now(), startedAt: 0, draining: false },
  load: { active: 0, waiting: 0, concurrency: 10 },
  ...{ sourceIps: [], blocks: [], doctor: null },
}
test.each<[what: string, status: number, body: object, refused: object]>([
  [
    "a node that does not know the edge",
    401,
    { detail: "no", code: "unknown_key", serverTime: Date.now() },
    { why: "unknown_key" },
  ],
  ["a node of an earlier version", 401, { detail: "no" }, { why: "refused" }],
  ["a code of a later version", 401, { detail: "no", code: "new" }, { why: "refused" }],
  ["a proxy with a login", 401, {}, { why: "not_a_node", status: 401 }],
  ["a proxy without the node", 502, {}, { why: "not_a_node", status: 502 }],
  ["a report without a signature that the edge trusts", 200, health, { why: "unknown_node_key" }],
])("%s is refused with its reason", async (_, status, body, refused) => {
  const nodeClient = doorTo(async () => Response.json(body, { status }))
  expect(await nodeClient.health(node)).toMatchObject({ kind: "refused", ...refused })
})

test("the difference of the clocks is read from a refusal to the millisecond", async () => {
  const body = { detail: "no", code: "clock", serverTime: Date.now() - 40_000 }
  const check = await doorTo(async () => Response.json(body, { status: 401 })).health(node)
  expect(check.kind === "refused" && Math.round(check.skewMs! / 1_000)).toBe(-40)
})

const answer: RblAnswer = { requestId: "r1", zones: [] }

describe("a node's health report", () => {
  test("is accepted when it is signed, also with every optional field", async () => {
    const sourceIps = Array.from({ length: HEALTH_LIMITS.sourceIps }, (_, n) => ({
      ...{ ip: `2001:db8:ffff:ffff:ffff:ffff:ffff:${n}`, quarantined: true, spentToday: 1_000_000 },
    }))
    const blocks = Array.from({ length: HEALTH_LIMITS.blocks }, (_, n) => ({
      ...{ operator: `${n}.${"x".repeat(40)}`, sourceIp: sourceIps[n % 256]!.ip, blocked: 1_000_000, isOpen: false },
    }))
    const full = { ...health, sourceIps, blocks }
    expect(await doorToNodeThatSays(full).health(node)).toMatchObject({ kind: "answered", health: full })
    const more = { ...full, blocks: [...blocks, blocks[0]] }
    expect(await doorToNodeThatSays(more).health(node)).toMatchObject({ kind: "refused" })
    const wider = { ...full, sourceIps: [...sourceIps, sourceIps[0]] }
    expect(await doorToNodeThatSays(wider).health(node)).toMatchObject({ kind: "refused" })
  })

  test("is refused with values that the database could not read back", async () => {
    const half = { ip: "\ud800", quarantined: false, spentToday: 0 }
    for (const wrong of [{ serverTime: 9e18 }, { serverTime: -1 }, { sourceIps: [half] }])
      expect(await doorToNodeThatSays({ ...health, ...wrong }).health(node)).toMatchObject({ kind: "refused" })
  })

  test("is refused when it is too long, even if signed", async () => {
    const room = HEALTH_LIMITS.bytes - JSON.stringify(health).length
    expect(await doorToNodeThatSays(health, room).health(node)).toMatchObject({ kind: "answered" })
    expect(await doorToNodeThatSays(health, room + 1).health(node)).toMatchObject({ kind: "refused" })
  })

  test("is not read to the end when it is endless", async () => {
    const { seen, nodeClient } = doorToFlood()
    expect(await nodeClient.health(node)).toMatchObject({ kind: "refused" })
    expect(seen.cancelled).toBe(true)
    expect(seen.chunks).toBeLessThan(10)
  })
})

describe("a node's blocklist response", () => {
  test("is accepted up to the longest valid response", async () => {
    const room = RBL_MAX_BYTES - JSON.stringify(answer).length
    expect(await doorToNodeThatSays(answer, room).rbl(node, lookup)).toEqual(answer)
    expect(await doorToNodeThatSays(answer, room + 1).rbl(node, lookup)).toBeNull()
  })

  test("is not read to the end when it is endless", async () => {
    const { seen, nodeClient } = doorToFlood()
    expect(await nodeClient.rbl(node, lookup)).toBeNull()
    expect(seen.cancelled).toBe(true)
    expect(seen.chunks).toBeLessThan(30)
  })
})
