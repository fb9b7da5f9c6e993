import { describe, expect, test } from "vitest"
import { REFUSALS } from "../../../schema/vocabulary.ts"
import { clockReason, refusedReason, silentReason, wrongClockOf } from "../../../src/domain/fleet/nodes.ts"

describe("whose clock is wrong", () => {
  test.each([
    ["another node agrees with the edge", [40_000, 100], null, "node"],
    ["another node agrees with the edge, whatever the node's doctor says", [40_000, 100], true, "node"],
    ["all nodes have the same difference", [-40_000, -40_900], null, "edge"],
    ["the nodes have different ones", [-40_000, 40_000], null, null],
    ["a lone node whose doctor finds its clock right", [-40_000], true, "edge"],
    ["a lone node whose doctor finds its clock wrong", [-40_000], false, "node"],
    ["a lone node without a doctor's report", [-40_000], null, null],
  ] as const)("%s", (_, skews, isNodeRight, wrong) => {
    expect(wrongClockOf(skews, isNodeRight)).toBe(wrong)
  })

  test.each([
    [-40_000, "edge", /^this edge's clock is off by 40\.0 s.*on the edge$/],
    [-40_000, "node", /^the node's clock is 40\.0 s behind this edge's.*on the node$/],
    [3_100, null, /^the node's clock is 3\.1 s ahead of this edge's: compare both/],
  ] as const)("is said, %d ms off: %s", (skewMs, wrong, reason) => {
    expect(clockReason(skewMs, wrong)).toMatch(reason)
  })
})

test.each([
  ["unknown_key", "the node does not know this edge's key: add it to PROBE_TRUSTED_KEYS on the node"],
  ["unknown_node_key", "this edge does not know the key that signs the node's answers: add the node's key here"],
  ["not_a_node", "no probe node answers at its URL (HTTP 502): check the proxy in front of the node"],
] as const)("a refusal by %s names the side that must change", (why, reason) => {
  expect(refusedReason(why, 502)).toBe(reason)
})

test("each refusal has a reason of its own that names the node or the edge", () => {
  const reasons = REFUSALS.map((why) => refusedReason(why, 401))
  expect(new Set(reasons).size).toBe(REFUSALS.length)
  for (const reason of reasons) expect(reason).toMatch(/node|edge/)
})

test.each([
  ["connect(): Connection refused", "connection refused"],
  ["DNS lookup failed.", "its host name has no address"],
  ["The operation was aborted due to timeout", "no answer in time"],
  ["no headers in time", "no answer in time"],
  ["Network connection lost.", "connection refused or broken"],
  ["internal error; reference = a1b2c3", "the connection failed. Is its TLS certificate valid?"],
  ["the url has a private address", "the url has a private address"],
])("the error `%s` of a call means: %s", (error, cause) => {
  expect(silentReason(error)).toBe(`the node cannot be reached: ${cause}`)
})
