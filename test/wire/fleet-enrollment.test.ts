import { describe, expect, test } from "vitest"
import type { NewNode } from "../../src/adapters/store/fleet/fleet.ts"
import { MAX_NODES_OF_ACCOUNT, withKey } from "../../src/domain/fleet/nodes.ts"
import { fleetDatabase, HOUR, NOW, node, times } from "../support/deps/fleet-nodes.ts"

const { store, token } = fleetDatabase()

describe("enrollment", () => {
  test("accepts a known token in time, once", async () => {
    expect(await store().enroll("unknown", node("n1"), times)).toBe("bad_token")
    await token("t1")
    expect(await store().enroll("t1", node("n1"), { ...times, now: NOW + HOUR + 1 })).toBe("bad_token")
    expect(await store().enroll("t1", node("n1"), times)).toBe("enrolled")
    expect(await store().enroll("t1", node("n2"), times)).toBe("bad_token")
    expect((await store().nodes()).filter(({ id }) => id === "n1")).toMatchObject([{ region: "eu", accountId: null }])
  })

  const changes: readonly [string, Partial<NewNode>][] = [
    ["key", { key: "n8.2:key" }],
    ["url", { url: "https://elsewhere.example.org" }],
    ["region", { region: "us" }],
    ["source IPs", { sourceIps: ["192.0.2.2"] }],
    ["capacity", { capacity: 11 }],
    ["version", { version: "2" }],
  ]
  test("of a used token may be repeated, but changes nothing", async () => {
    await token("t8")
    expect(await store().enroll("t8", node("n8"), times)).toBe("enrolled")
    const stored = async () => (await store().nodes()).find(({ id }) => id === "n8")
    const before = await stored()
    const later = { now: NOW + 1, oldKeysUntil: NOW + 2 }
    for (const [what, change] of changes)
      expect([what, await store().enroll("t8", node("n8", change), later)]).toEqual([what, "bad_token"])
    expect(await store().enroll("t8", node("n8"), later)).toBe("enrolled")
    expect(await stored()).toEqual(before)

    await store().setKeys("n8", withKey(before!.publicKeys, { key: "n8.2:key", ...times }), {
      owner: "operator",
      now: 1,
    })
    expect(await store().enroll("t8", node("n8"), later)).toBe("bad_token")
    await store().remove("n8", "operator")
    expect(await store().enroll("t8", node("n8"), later)).toBe("bad_token")
  })

  test("with a new token replaces a node of the same owner only", async () => {
    const moved = { url: "https://moved.example.org", key: "n9.2:key" }
    for (const [digest, owner] of [
      ["t9", "acc_9"],
      ["t9-stranger", "acc_8"],
      ["t9-shared", null],
      ["t9-new", "acc_9"],
    ] as const)
      await token(digest, owner)
    expect(await store().enroll("t9", node("n9"), times)).toBe("enrolled")
    expect(await store().enroll("t9-stranger", node("n9", moved), times)).toBe("taken")
    expect(await store().enroll("t9-shared", node("n9", moved), times)).toBe("taken")
    expect(await store().enroll("t9-new", node("n9", moved), times)).toBe("enrolled")
    expect((await store().nodes()).find(({ id }) => id === "n9")).toMatchObject({
      ...{ url: moved.url, accountId: "acc_9" },
      publicKeys: [{ key: moved.key }, { key: "n9.1:key", notAfter: times.oldKeysUntil }],
    })
    await store().remove("n9", "operator")
  })

  test("of one node with one token and two keys at the same time stores one key", async () => {
    await token("t10")
    const keys = ["n10.1:key", "n10.2:key"]
    const both = await Promise.all(keys.map((key) => store().enroll("t10", node("n10", { key }), times)))
    expect(both.toSorted()).toEqual(["bad_token", "enrolled"])
    expect((await store().nodes()).find(({ id }) => id === "n10")?.publicKeys).toEqual([
      { key: keys[both.indexOf("enrolled")], notAfter: null },
    ])
    await store().remove("n10", "operator")
  })

  test("of one id by two owners at the same time leaves the loser's token unused", async () => {
    await token("t11", "acc_1")
    await token("t12", "acc_2")
    const both = await Promise.all(["t11", "t12"].map((digest) => store().enroll(digest, node("n11"), times)))
    expect(both.toSorted()).toEqual(["enrolled", "taken"])
    const loser = ["t11", "t12"][both.indexOf("taken")]!
    expect(await store().enroll(loser, node("n12"), times)).toBe("enrolled")
    await Promise.all(["n11", "n12"].map((id) => store().remove(id, "operator")))
  })

  test("of two nodes with one token at the same time accepts one", async () => {
    await token("t2")
    const both = await Promise.all(["n3", "n4"].map((id) => store().enroll("t2", node(id), times)))
    expect(both.toSorted()).toEqual(["bad_token", "enrolled"])
    expect((await store().nodes()).filter(({ id }) => ["n3", "n4"].includes(id))).toHaveLength(1)
  })

  test("reserves an id for its first owner", async () => {
    await token("t3", "acc_1")
    await token("t4", "acc_2")
    expect(await store().enroll("t3", node("n5"), times)).toBe("enrolled")
    expect(await store().enroll("t4", node("n5"), times)).toBe("taken")
    expect(await store().remove("n5", { accountId: "acc_2" })).toBe(false)
    expect(await store().remove("n5", { accountId: "acc_1" })).toBe(true)
    expect(await store().enroll("t4", node("n5"), times)).toBe("enrolled")
    expect(await store().remove("n5", "operator")).toBe(true)
  })

  test("limits the nodes of an account, also for concurrent enrollments; an enrolled node may enroll again", async () => {
    const ids = Array.from({ length: MAX_NODES_OF_ACCOUNT + 4 }, (_, n) => `full-${n}`)
    await Promise.all(ids.map((id) => token(`t-${id}`, "acc_full")))
    const all = await Promise.all(ids.map((id) => store().enroll(`t-${id}`, node(id), times)))
    expect(all.filter((one) => one === "enrolled")).toHaveLength(MAX_NODES_OF_ACCOUNT)
    expect(all.filter((one) => one === "full")).toHaveLength(4)
    const own = (await store().nodes()).filter(({ accountId }) => accountId === "acc_full").map(({ id }) => id)
    expect(own).toHaveLength(MAX_NODES_OF_ACCOUNT)

    const [first, second] = own as [string, string]
    const replacement = await token("t-replacement", "acc_full")
    expect(await store().enroll(replacement, node(first, { region: "us" }), times)).toBe("enrolled")
    expect((await store().nodes()).find(({ id }) => id === first)?.region).toBe("us")
    const late = ids.filter((id) => !own.includes(id))[0]!
    expect(await store().remove(second, { accountId: "acc_full" })).toBe(true)
    expect(await store().enroll(`t-${late}`, node(late), times)).toBe("enrolled")
    expect(await store().enroll(`t-${second}`, node(second), times)).toBe("bad_token")
    expect(await store().enroll(await token("t-more", "acc_full"), node(second), times)).toBe("full")
    expect((await store().nodes()).filter(({ accountId }) => accountId === "acc_full")).toHaveLength(
      MAX_NODES_OF_ACCOUNT,
    )
    expect(await store().enroll(await token("t-other", "acc_other"), node("other"), times)).toBe("enrolled")
  })

  test("does not limit the operator's nodes", async () => {
    const ids = Array.from({ length: MAX_NODES_OF_ACCOUNT + 2 }, (_, n) => `shared-${n}`)
    for (const id of ids) expect(await store().enroll(await token(`t-${id}`), node(id), times)).toBe("enrolled")
    await Promise.all(ids.map((id) => store().remove(id, "operator")))
  })

  test("a new key is added, the previous one expires in a day, and there are at most two", () => {
    const first = withKey([], { key: "a:1", ...times })
    expect(first).toEqual([{ key: "a:1", notAfter: null }])
    const second = withKey(first, { key: "b:1", ...times })
    expect(second).toEqual([
      { key: "b:1", notAfter: null },
      { key: "a:1", notAfter: times.oldKeysUntil },
    ])
    expect(withKey(second, { key: "b:1", now: NOW + HOUR, oldKeysUntil: NOW + 25 * HOUR })).toEqual(second)
    expect(withKey(second, { key: "c:1", ...times }).map(({ key }) => key)).toEqual(["c:1", "b:1"])
    expect(withKey(second, { key: "b:1", now: NOW + 25 * HOUR, oldKeysUntil: 0 })).toEqual([
      { key: "b:1", notAfter: null },
    ])
  })
})
