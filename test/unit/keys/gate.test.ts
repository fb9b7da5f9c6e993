import { describe, expect, test } from "vitest"
import { Gate, type KeptKey } from "../../../src/adapters/keygate/gate.ts"
import type { KeyRecord } from "../../../src/adapters/store/keys.ts"

/** Never woken. */
const ASLEEP = { wakeAt: () => undefined, clear: async () => undefined }

test("a store that does not answer is told apart from an empty purse", async () => {
  const broken = () => Promise.reject(new Error("connection refused"))
  const needs = {
    now: () => 1,
    findKey: broken,
    reserve: broken,
    saveWindow: () => undefined,
    saveKey: () => undefined,
    ...ASLEEP,
  }
  const gate = new Gate(needs, { window: [], key: null })
  const charge = { chargeId: "c1", subject: "x", limit: 100, keyId: null, period: "2026-11", credits: 1 } as const
  expect(await gate.take({ charge: { ...charge, kind: "call" }, perMinute: 1 })).toEqual({ kind: "unavailable" })
  expect(await gate.open("d")).toEqual({ kind: "unavailable" })
})

describe("what a gate keeps", () => {
  const DAY_MS = 86_400_000

  /** A gate for which nothing happens by itself: `pass` wakes it when it has asked for it. */
  function keeping() {
    const world = { now: 1, wakeAt: Number.POSITIVE_INFINITY, wakes: 0, kept: { window: false, key: false } }
    const gate = new Gate(
      {
        now: () => world.now,
        findKey: async () => ({ keyId: "kid_1", accountId: "acc_1", tier: "pro", isActive: true }) as KeyRecord,
        reserve: () => Promise.reject(),
        saveWindow: () => void Object.assign(world.kept, { window: true }),
        saveKey: (key) => void Object.assign(world.kept, { key: key !== null }),
        wakeAt: (at) => void Object.assign(world, { wakeAt: at }),
        clear: async () => void Object.assign(world.kept, { window: false, key: false }),
      },
      { window: [], key: null },
    )
    const pass = async (ms: number) => {
      for (const until = world.now + ms; ; world.wakes++) {
        world.now = Math.min(world.wakeAt, until)
        if (world.wakeAt > until) return
        world.wakeAt = Number.POSITIVE_INFINITY
        await gate.wake()
      }
    }
    return { gate, world, pass }
  }

  test("is gone two days after its last use, and kept again at the next", async () => {
    const { gate, world, pass } = keeping()
    for (let use = 0; use < 2; use++) {
      gate.count({ limit: 5, windowMs: 60_000 })
      expect(world.kept).toEqual({ window: true, key: false })
      await pass(2 * DAY_MS)
      expect(world.kept).toEqual({ window: false, key: false })
      expect(world.wakeAt).toBe(Number.POSITIVE_INFINITY)
    }
  })

  test("stays while it counts, at one waking a day", async () => {
    const { gate, world, pass } = keeping()
    const hourly = { limit: 5, windowMs: 3_600_000 }
    for (let hour = 0; hour < 72; hour++) {
      for (let call = 0; call < 5; call++) gate.count(hourly)
      expect(gate.count(hourly)).toMatchObject({ admitted: false })
      await pass(3_600_000)
      expect(world.kept.window).toBe(true)
    }
    expect(world.wakes).toBe(3)
  })

  test("of a key is there as long as it would be believed", async () => {
    const { gate, world, pass } = keeping()
    await gate.open("d")
    await pass(DAY_MS)
    expect(world.kept.key).toBe(true)
    await pass(DAY_MS)
    expect(world.kept.key).toBe(false)
  })
})

describe("a gate whose store does not answer", () => {
  const key = { keyId: "kid_1", accountId: "acc_1", tier: "pro", ownerEmail: "owner@mailbox.test", isActive: true }
  const known = { kind: "active", key: expect.objectContaining({ keyId: "kid_1", tier: "pro" }) }
  const HOUR_MS = 3_600_000

  /** A gate of that key, with the store and the clock in the test's hands. */
  function gateOf(kept: KeptKey | null = null) {
    const world = { now: 0, isUp: true, reads: 0, kept, row: key }
    const findKey = async () => {
      world.reads++
      if (!world.isUp) throw new Error("connection refused")
      return world.row as KeyRecord
    }
    const needs = { findKey, reserve: () => Promise.reject(), saveWindow: () => undefined, ...ASLEEP }
    const saveKey = (key: KeptKey | null) => {
      world.kept = key
    }
    const gate = () => new Gate({ ...needs, saveKey, now: () => world.now }, { window: [], key: world.kept })
    return { world, gate }
  }

  test("goes on with what it knows, until the key changes", async () => {
    const { world, gate: make } = gateOf()
    const gate = make()
    expect(await gate.open("d")).toEqual(known)
    world.isUp = false
    world.now += HOUR_MS
    expect(await gate.open("d")).toEqual(known)
    gate.forget()
    expect(await gate.open("d")).toEqual({ kind: "unavailable" })
    world.isUp = true
    expect(await gate.open("d")).toEqual(known)
  })

  test("knows a key after a restart, though not whose it is, and believes that for a day", async () => {
    const { world, gate } = gateOf()
    await gate().open("d")
    expect(JSON.stringify(world.kept)).not.toContain("owner")
    world.isUp = false
    world.now += 23 * HOUR_MS
    const { accountId, keyId, tier } = key
    expect(await gate().open("d")).toEqual({ kind: "active", key: { accountId, keyId, tier, ownerEmail: null } })
    world.now += 2 * HOUR_MS
    expect(await gate().open("d")).toEqual({ kind: "unavailable" })
  })

  test("asks again before it answers once the store is back, and before that not at every call", async () => {
    const { world, gate: make } = gateOf({ keyId: "kid_1", accountId: "acc_1", tier: "pro", readAt: 0 })
    const gate = make()
    world.isUp = false
    for (let call = 0; call < 10; call++) expect(await gate.open("d")).toEqual(known)
    expect(world.reads).toBe(1)
    world.isUp = true
    world.now += 5_000
    expect(await gate.open("d")).toEqual({ kind: "active", key })
  })

  test("has nothing kept of a key that was forgotten or is refused", async () => {
    const { world, gate } = gateOf()
    await gate().open("d")
    world.row = { ...key, isActive: false }
    const later = gate()
    expect(await later.open("d")).toEqual({ kind: "refused" })
    expect(world.kept).toBeNull()
    world.row = key
    later.forget()
    await later.open("d")
    expect(world.kept).not.toBeNull()
    later.forget()
    expect(world.kept).toBeNull()
  })

  test("does not keep a row that was read before the key changed", async () => {
    const read: ((row: typeof key) => void)[] = []
    const findKey = () => new Promise<typeof key>((resolve) => read.push(resolve)) as Promise<KeyRecord>
    const kept: (KeptKey | null)[] = []
    const saveKey = (one: KeptKey | null) => void kept.push(one)
    const needs = {
      now: () => 0,
      findKey,
      reserve: () => Promise.reject(),
      saveWindow: () => undefined,
      saveKey,
      ...ASLEEP,
    }
    const gate = new Gate(needs, { window: [], key: null })
    const before = gate.open("d")
    gate.forget()
    const after = gate.open("d")
    read[0]!(key)
    expect(await before).toEqual(known)
    expect(kept).toEqual([])
    const meanwhile = gate.open("d")
    read[1]!({ ...key, isActive: false })
    expect([await after, await meanwhile, await gate.open("d")]).toEqual(Array(3).fill({ kind: "refused" }))
    expect(read).toHaveLength(2)
  })

  test("reads a key that is known once a minute", async () => {
    const { world, gate: make } = gateOf()
    const gate = make()
    const reads = []
    for (const passMs of [0, 59_999, 1, 59_999]) {
      world.now += passMs
      await gate.open("d")
      reads.push(world.reads)
    }
    expect(reads).toEqual([1, 1, 2, 2])
  })

  test("writes what it keeps when that has changed, else once an hour", async () => {
    const { world, gate: make } = gateOf()
    const gate = make()
    await gate.open("d")
    world.now += 60_000
    await gate.open("d")
    expect(world.kept?.readAt).toBe(0)
    world.row = { ...key, tier: "enterprise" }
    world.now += 60_000
    await gate.open("d")
    expect(world.kept).toMatchObject({ tier: "enterprise", readAt: 120_000 })
    world.row = { ...world.row, accountId: "acc_2" }
    world.now += 60_000
    await gate.open("d")
    expect(world.kept).toMatchObject({ accountId: "acc_2", readAt: 180_000 })
    world.now += HOUR_MS
    await gate.open("d")
    expect(world.kept?.readAt).toBe(180_000 + HOUR_MS)
  })
})
