import { once } from "node:events"
import { get, type OutgoingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, test } from "vitest"
import type { NodeConfig } from "../../probe-node/config.ts"
import { testEngine } from "../support/mail/probe-engine.ts"
import { startTestNode, type TestNode } from "../support/mail/probe-server.ts"

const TOKEN = "metrics-token-of-the-test"
const BEARER = { authorization: `Bearer ${TOKEN}` }
let node: TestNode
afterEach(() => node.drain(0))

/** Reads the metrics of a node with these settings. It does not use `fetch`, which cannot set the Host header. */
async function scrape(settings: Partial<NodeConfig>, headers: OutgoingHttpHeaders) {
  node = await startTestNode(testEngine({ port: 25 }), settings)
  const { port } = new URL(node.url)
  const host = settings.host === "::1" ? "::1" : "127.0.0.1"
  const [response] = await once(get({ host, port, path: "/metrics", headers }), "response")
  return { status: response.statusCode, challenge: response.headers["www-authenticate"], body: await text(response) }
}

describe("metrics of a node", () => {
  test.each<[reader: string, settings: Partial<NodeConfig>, headers: OutgoingHttpHeaders]>([
    ["its own machine", {}, {}],
    ["its own machine, by name", {}, { host: "localhost:8625" }],
    ["its own machine, by IPv6", { host: "::1" }, {}],
    ["the holder of the token", { metricsToken: TOKEN }, BEARER],
    ["the holder of the token from elsewhere", { host: "0.0.0.0", metricsToken: TOKEN }, BEARER],
    ["the holder of the token by a proxy", { metricsToken: TOKEN }, { ...BEARER, host: "probe1.example.com" }],
  ])("are open to %s", async (_, settings, headers) => {
    const { status, body } = await scrape(settings, headers)
    expect(status).toBe(200)
    expect(body).toContain("probe_sessions_limit 100\n")
  })

  test.each<[reader: string, settings: Partial<NodeConfig>, headers: OutgoingHttpHeaders]>([
    ["every caller beyond loopback while no token is set", { host: "0.0.0.0" }, {}],
    ["a token where none is set", { host: "0.0.0.0" }, BEARER],
    ["a caller without the token", { host: "0.0.0.0", metricsToken: TOKEN }, {}],
    ["a caller with a wrong token", { host: "0.0.0.0", metricsToken: TOKEN }, { authorization: `Bearer ${TOKEN}x` }],
    ["the token in another scheme", { metricsToken: TOKEN }, { authorization: `Basic ${TOKEN}` }],
    ["its own machine, where a token is set", { metricsToken: TOKEN }, {}],
    ["a proxy that forwards the Host header", {}, { host: "probe1.example.com" }],
    ["a proxy that names its client", {}, { "x-forwarded-for": "203.0.113.9" }],
  ])("are closed to %s", async (_, settings, headers) => {
    const { status, challenge, body } = await scrape(settings, headers)
    expect({ status, challenge }).toEqual({ status: 401, challenge: "Bearer" })
    expect(body).toContain("PROBE_METRICS_TOKEN")
    expect(body).not.toMatch(/probe_|metrics-token/)
  })
})
