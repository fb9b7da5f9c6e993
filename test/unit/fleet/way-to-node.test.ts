import { expect, test } from "vitest"
import { wayToNode } from "../../../src/adapters/probes/way-to-node.ts"

const says = (text: string) => async () => new Response(text)

test.each([
  ["https://node.internal:8443/v1/probe", "any", "a node of the settings"],
  ["https://vouched.example.net/health", "any", "a host the operator vouches for"],
  ["https://node.internal/v1/probe", "public", "another port of the same host"],
  ["https://joined.example.net:8443/v1/probe", "public", "a node that enrolled"],
])("%s is called by the way to %s addresses: it is %s", async (url, expected) => {
  const node = { id: "n1", region: "eu", url: "https://node.internal:8443", publicKeys: [] }
  const fleetRules = { allowHttp: false, allowHosts: new Set(["vouched.example.net"]), ownHosts: [] }
  const ways = { fetch: says("any"), fetchPublic: says("public") }
  const way = wayToNode({ probeNodes: [node], fleetRules }, ways)
  expect(await (await way(url, {})).text()).toBe(expected)
})
