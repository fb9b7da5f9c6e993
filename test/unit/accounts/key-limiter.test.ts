import { describe, expect, test } from "vitest"
import { KeyLimiter, type StoredKey } from "../../../src/adapters/accounts/limiter-state.ts"
import type { KeyRecord } from "../../../src/adapters/store/accounts/keys.ts"
import { UNRESTRICTED } from "../../../src/domain/accounts/key-restrictions.ts"

const TURN = { queue: "x", since: 0, deadlineAt: 0 }

/** A limiter without alarms. */
const ASLEEP = { wakeAt: () => undefined, clear: async () => undefined }

test.each([
  ["connection refused", false],
  ["database or disk is full: SQLITE_FULL", true],
])("a store that fails with `%s` is distinguished from missing credits", async (message, isStorageFailure) => {
  const broken = () => Promise.reject(new Error(message))
  const save = { saveWindow: () => undefined, saveDay: () => undefined, saveKey: () => undefined }
  const needs = { now: () => 1, findKey: broken, reserve: broken, ...save, ...ASLEEP }
  const limiter = new KeyLimiter(needs, { window: [], key: null, day: null })
  const charge = { chargeId: "c1", subject: "x", limit: 100, keyId: null, period: "2026-11", credits: 1 } as const
  expect(await limiter.reserve({ charge: { ...charge, kind: "call" }, perMinute: 1, queueEntry: TURN })).toEqual({
    kind: "unavailable",
    isStorageFailure,
  })
  expect(await limiter.check("d")).toEqual({ kind: "unavailable" })
})

describe("the stored state of a limiter", () => {
  const DAY_MS = 86_400_000

  /** A limiter on a manual clock. `pass` advances the time and fires the alarms that the limiter has set. */
  function manualLimiter() {
    const world = {
      now: 1,
      wakeAt: Number.POSITIVE_INFINITY,
      wakes: 0,
      kept: { window: false, day: false, key: false },
    }
    const limiter = new KeyLimiter(
      {
        now: () => world.now,
        findKey: async () => ({ keyId: "kid_1", accountId: "acc_1", tier: "pro", isActive: true }) as KeyRecord,
        reserve: () => Promise.reject(),
        saveWindow: () => void Object.assign(world.kept, { window: true }),
        saveDay: () => void Object.assign(world.kept, { day: true }),
        saveKey: (key) => void Object.assign(world.kept, { key: key !== null }),
        wakeAt: (at) => void Object.assign(world, { wakeAt: at }),
        clear: async () => void Object.assign(world.kept, { window: false, day: false, key: false }),
      },
      { window: [], key: null, day: null },
    )
    const pass = async (ms: number) => {
      for (const until = world.now + ms; ; world.wakes++) {
        world.now = Math.min(world.wakeAt, until)
        if (world.wakeAt > until) return
        world.wakeAt = Number.POSITIVE_INFINITY
        await limiter.wake()
      }
    }
    return { limiter, world, pass }
  }

  test("is deleted two days after the last use, and stored again at the next use", async () => {
    const { limiter, world, pass } = manualLimiter()
    for (let use = 0; use < 2; use++) {
      limiter.count({ limit: 5, windowMs: 60_000 })
      expect(world.kept).toEqual({ window: true, day: false, key: false })
      await pass(2 * DAY_MS)
      expect(world.kept).toEqual({ window: false, day: false, key: false })
      expect(world.wakeAt).toBe(Number.POSITIVE_INFINITY)
    }
  })

  test("holds the count of the day until the day is over", async () => {
    const { limiter, world, pass } = manualLimiter()
    await pass(DAY_MS / 2)
    const call = { visitor: "a", perMinute: 9, dailyBudget: 2 }
    expect([1, 2, 3].map(() => limiter.countFormCall(call).accepted)).toEqual([true, true, false])
    expect(limiter.countFormCall(call)).toEqual({ accepted: false, limit: "day", retryAfterMs: DAY_MS / 2 - 1 })
    expect([limiter.usedToday(), world.kept.day]).toEqual([2, true])
    await pass(DAY_MS / 2)
    expect([limiter.usedToday(), limiter.countFormCall(call).accepted, limiter.usedToday()]).toEqual([0, true, 1])
    await pass(3 * DAY_MS)
    expect(world.kept.day).toBe(false)
  })

  test("counts each visitor's minute, and a refused visitor uses nothing of the day", () => {
    const { limiter } = manualLimiter()
    const call = (visitor: string) => limiter.countFormCall({ visitor, perMinute: 2, dailyBudget: 4 })
    const refused = { accepted: false, limit: "visitor", retryAfterMs: 60_000 }
    expect(["a", "a", "b"].map((visitor) => call(visitor).accepted)).toEqual([true, true, true])
    expect([call("a"), limiter.usedToday()]).toEqual([refused, 3])
    expect([call("c").accepted, call("d")]).toEqual([true, expect.objectContaining({ limit: "day" })])
  })

  test("remains while it limits, with one alarm a day", async () => {
    const { limiter, world, pass } = manualLimiter()
    const hourly = { limit: 5, windowMs: 3_600_000 }
    for (let hour = 0; hour < 72; hour++) {
      for (let call = 0; call < 5; call++) limiter.count(hourly)
      expect(limiter.count(hourly)).toMatchObject({ accepted: false })
      await pass(3_600_000)
      expect(world.kept.window).toBe(true)
    }
    expect(world.wakes).toBe(3)
  })

  test("holds a key as long as the limiter may use it", async () => {
    const { limiter, world, pass } = manualLimiter()
    await limiter.check("d")
    await pass(DAY_MS)
    expect(world.kept.key).toBe(true)
    await pass(DAY_MS)
    expect(world.kept.key).toBe(false)
  })
})

test("the key of a suspended account is refused as suspended, and works again after its invalidation", async () => {
  const row = { keyId: "kid_1", accountId: "acc_1", tier: "pro", isActive: true, isSuspended: true }
  const saved: unknown[] = []
  const limiter = new KeyLimiter(
    {
      ...{ now: () => 0, findKey: async () => row as KeyRecord, reserve: () => Promise.reject(), ...ASLEEP },
      ...{
        saveWindow: () => undefined,
        saveDay: () => undefined,
        saveKey: (key: StoredKey | null) => void saved.push(key),
      },
    },
    { window: [], key: null, day: null },
  )
  expect(await limiter.check("digest")).toEqual({ kind: "suspended" })
  // No copy outlives a restart, so an outage of the store does not lift the suspension.
  expect(saved).toEqual([])
  row.isSuspended = false
  expect(await limiter.check("digest")).toEqual({ kind: "suspended" })
  limiter.invalidate()
  expect(await limiter.check("digest")).toMatchObject({ kind: "active", key: { keyId: "kid_1" } })
})

describe("a limiter whose store does not answer", () => {
  const key = {
    keyId: "kid_1",
    accountId: "acc_1",
    tier: "pro",
    createdBy: null,
    isActive: true,
    ownerEmail: "owner@mailbox.test",
  }
  const known = { kind: "active", key: expect.objectContaining({ keyId: "kid_1", tier: "pro" }) }
  const HOUR_MS = 3_600_000

  /** A limiter of that key, with a manual store and clock. */
  function limiterOf(kept: StoredKey | null = null) {
    const world = { now: 0, isUp: true, reads: 0, kept, row: key }
    const findKey = async () => {
      world.reads++
      if (!world.isUp) throw new Error("connection refused")
      return world.row as KeyRecord
    }
    const needs = {
      findKey,
      reserve: () => Promise.reject(),
      saveWindow: () => undefined,
      saveDay: () => undefined,
      ...ASLEEP,
    }
    const saveKey = (key: StoredKey | null) => {
      world.kept = key
    }
    const limiter = () =>
      new KeyLimiter({ ...needs, saveKey, now: () => world.now }, { window: [], key: world.kept, day: null })
    return { world, limiter }
  }

  test("continues with the cached key until the key changes", async () => {
    const { world, limiter: make } = limiterOf()
    const limiter = make()
    expect(await limiter.check("d")).toEqual(known)
    world.isUp = false
    world.now += HOUR_MS
    expect(await limiter.check("d")).toEqual(known)
    limiter.invalidate()
    expect(await limiter.check("d")).toEqual({ kind: "unavailable" })
    world.isUp = true
    expect(await limiter.check("d")).toEqual(known)
  })

  test("knows a key for a day after a restart, without its owner's address", async () => {
    const { world, limiter } = limiterOf()
    await limiter().check("d")
    expect(JSON.stringify(world.kept)).not.toContain("owner")
    world.isUp = false
    world.now += 23 * HOUR_MS
    const { accountId, keyId, tier } = key
    const known = { accountId, keyId, tier, restrictions: null, createdBy: null, ownerEmail: null }
    expect(await limiter().check("d")).toEqual({ kind: "active", key: known })
    world.now += 2 * HOUR_MS
    expect(await limiter().check("d")).toEqual({ kind: "unavailable" })
  })

  test("reads the key again when the store is back, and meanwhile not at every call", async () => {
    const { world, limiter: make } = limiterOf({ keyId: "kid_1", accountId: "acc_1", tier: "pro", readAt: 0 })
    const limiter = make()
    world.isUp = false
    for (let call = 0; call < 10; call++) expect(await limiter.check("d")).toEqual(known)
    expect(world.reads).toBe(1)
    world.isUp = true
    world.now += 5_000
    expect(await limiter.check("d")).toEqual({ kind: "active", key })
  })

  test("stores nothing of an invalidated or refused key", async () => {
    const { world, limiter } = limiterOf()
    await limiter().check("d")
    world.row = { ...key, isActive: false }
    const later = limiter()
    expect(await later.check("d")).toEqual({ kind: "refused" })
    expect(world.kept).toBeNull()
    world.row = key
    later.invalidate()
    await later.check("d")
    expect(world.kept).not.toBeNull()
    later.invalidate()
    expect(world.kept).toBeNull()
  })

  test("does not store a row that was read before the key changed", async () => {
    const read: ((row: typeof key) => void)[] = []
    const findKey = () => new Promise<typeof key>((resolve) => read.push(resolve)) as Promise<KeyRecord>
    const kept: (StoredKey | null)[] = []
    const saveKey = (one: StoredKey | null) => void kept.push(one)
    const needs = {
      now: () => 0,
      findKey,
      reserve: () => Promise.reject(),
      saveWindow: () => undefined,
      saveDay: () => undefined,
      saveKey,
      ...ASLEEP,
    }
    const limiter = new KeyLimiter(needs, { window: [], key: null, day: null })
    const before = limiter.check("d")
    limiter.invalidate()
    const after = limiter.check("d")
    read[0]!(key)
    expect(await before).toEqual(known)
    expect(kept).toEqual([])
    const meanwhile = limiter.check("d")
    read[1]!({ ...key, isActive: false })
    expect([await after, await meanwhile, await limiter.check("d")]).toEqual(Array(3).fill({ kind: "refused" }))
    expect(read).toHaveLength(2)
  })

  test("reads a cached key again once a minute", async () => {
    const { world, limiter: make } = limiterOf()
    const limiter = make()
    const reads = []
    for (const passMs of [0, 59_999, 1, 59_999]) {
      world.now += passMs
      await limiter.check("d")
      reads.push(world.reads)
    }
    expect(reads).toEqual([1, 1, 2, 2])
  })

  test.each<[string, Partial<KeyRecord>]>([
    ["restrictions", { restrictions: { ...UNRESTRICTED, networks: ["192.0.2.0/24"] } }],
    ["no restrictions any more", { restrictions: null }],
    ["its owner", { accountId: "acc_2", createdBy: "user@mailbox.test" }],
  ])("an outage after a restart finds a change that missed the limiter: %s", async (_, change) => {
    const { world, limiter: make } = limiterOf()
    const before = { ...key, restrictions: { ...UNRESTRICTED, scopes: ["verify"] } } as typeof key
    const limiter = make()
    for (const row of [before, { ...before, ...change } as typeof key]) {
      Object.assign(world, { row, now: world.now + 60_000 })
      await limiter.check("d")
    }
    world.isUp = false
    expect(await make().check("d")).toMatchObject({ kind: "active", key: change })
  })

  test("stores the key after a change, else once an hour", async () => {
    const { world, limiter: make } = limiterOf()
    const limiter = make()
    await limiter.check("d")
    world.now += 60_000
    await limiter.check("d")
    expect(world.kept?.readAt).toBe(0)
    world.row = { ...key, tier: "enterprise" }
    world.now += 60_000
    await limiter.check("d")
    expect(world.kept).toMatchObject({ tier: "enterprise", readAt: 120_000 })
    world.now += HOUR_MS
    await limiter.check("d")
    expect(world.kept?.readAt).toBe(120_000 + HOUR_MS)
  })
})
