import { expect, test } from "vitest"
import { nodeFetch } from "../../../src/adapters/fleet/node-client.ts"

const says = (text: string) => async () => new Response(text)

test.each([
  ["https://node.internal:8443/v1/probe", "any", "a node of the settings"],
  ["https://vouched.example.net/health", "any", "a host that the operator trusts"],
  ["https://node.internal/v1/probe", "public", "another port of the same host"],
  ["https://joined.example.net:8443/v1/probe", "public", "an enrolled node"],
])("%s may resolve to %s addresses: it is %s", async (url, expected) => {
  const node = { id: "n1", region: "eu", url: "https://node.internal:8443", publicKeys: [] }
  const fleetRules = { allowHttp: false, allowHosts: new Set(["vouched.example.net"]), ownHosts: [] }
  const ways = { fetch: says("any"), fetchPublic: says("public") }
  const way = nodeFetch({ probeNodes: [node], fleetRules }, ways)
  expect(await (await way(url, {})).text()).toBe(expected)
})
