import { expect, test } from "vitest"
import { CreditLeases, type CreditLeasesDeps } from "../../../src/adapters/accounts/credit-leases.ts"
import type { Charge } from "../../../src/adapters/store/accounts/charges.ts"
import type { LedgerReservation } from "../../../src/adapters/store/accounts/ledger-sql.ts"
import type { Lease, LeaseSettlement } from "../../../src/domain/accounts/lease-book.ts"

const TURN = { queue: "x", since: 0, deadlineAt: 0 }
const LEASED: LedgerReservation = { reserved: 10, source: "month", used: 10, creditsLeft: null, leases: [] }

const charge = (chargeId: string, more: Partial<Charge> = {}): Charge => ({
  ...{
    chargeId,
    subject: "acc",
    limit: 100,
    keyId: "kid",
    period: "2026-11",
    credits: 1,
    kind: "call",
    isLeasable: true,
  },
  ...more,
})

/** A limiter with a scripted ledger. */
function scripted(ledger: Partial<ReturnType<CreditLeasesDeps["ledger"]>>) {
  const world = {
    now: 0,
    saved: [] as readonly Lease[],
    wakeAt: [] as number[],
    later: [] as (() => void)[],
    settled: [] as LeaseSettlement[],
    ids: 0,
  }
  const leases = new CreditLeases(
    {
      gate: "gate",
      now: () => world.now,
      newId: () => `l${++world.ids}`,
      save: (all) => void Object.assign(world, { saved: structuredClone(all) }),
      later: (_, work) => void world.later.push(work),
      wakeAt: (at) => void world.wakeAt.push(at),
      ledger: () => ({
        reserve: () => Promise.reject(new Error("not scripted")),
        open: async () => LEASED,
        settle: async (all) => void world.settled.push(...all),
        ...ledger,
      }),
      recall: async () => false,
    },
    [],
  )
  const reserve = (id: string, more?: Partial<Charge>) => leases.reserve(charge(id, more), world.now, TURN)
  return { world, leases, reserve }
}

test("a recall during an opening waits for its calls, and returns the rest", async () => {
  const opening = Promise.withResolvers<LedgerReservation>()
  const { world, leases, reserve } = scripted({ open: () => opening.promise })
  const reserved = reserve("a")
  const recalled = leases.recall(["l1"])
  opening.resolve(LEASED)
  expect(await reserved).toMatchObject({ granted: true, isLeased: true, used: 1 })
  expect(await recalled).toBe(true)
  expect(world.settled).toEqual([{ id: "l1", keep: 1, paid: null }])
})

test("a lease whose key changes while it opens is returned, and its calls get another", async () => {
  const openings = [Promise.withResolvers<LedgerReservation>(), Promise.withResolvers<LedgerReservation>()]
  let opened = 0
  const { world, leases, reserve } = scripted({ open: () => openings[opened++]!.promise })
  const reserved = reserve("a")
  leases.retire()
  for (const opening of openings) opening.resolve(LEASED)
  expect(await reserved).toMatchObject({ granted: true, used: 1 })
  await expect.poll(() => world.settled).toEqual([{ id: "l1", keep: 0, paid: 0 }])
  expect(world.saved.map(({ id, state }) => `${id} ${state}`)).toEqual(["l2 open"])
})

test("a recall of a lease without a rest gives nothing back, and the lease goes on", async () => {
  const { world, leases, reserve } = scripted({ open: async () => ({ ...LEASED, reserved: 1, used: 1 }) })
  await reserve("a")
  expect([await leases.recall(["l1"]), world.settled]).toEqual([false, []])
  leases.settle("a", 0)
  expect(await reserve("b")).toMatchObject({ granted: true, used: 1 })
})

test("the lease is on disk before the ledger is called, and each spend before its answer", async () => {
  const before: (readonly Lease[])[] = []
  const { world, reserve } = scripted({
    open: async () => {
      before.push(world.saved)
      return LEASED
    },
  })
  await reserve("a")
  expect(before).toMatchObject([[{ id: "l1", state: "opening", size: 0 }]])
  expect(world.saved).toMatchObject([{ id: "l1", state: "open", spends: { a: { credits: 1 } } }])
})

test("calls that wait together share one write, and each failed write leaves the same uncertain lease", async () => {
  let opened = 0
  const { world, reserve } = scripted({
    open: async () => {
      if (opened++ < 2) throw new Error("no answer")
      return { ...LEASED, reserved: 30, used: 30 }
    },
  })
  for (let n = 0; n < 2; n++) await expect(reserve(`lost ${n}`)).rejects.toThrow("no answer")
  expect(world.saved.map(({ id, state }) => `${id} ${state}`)).toEqual(["l1 opening"])
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => reserve(`${n}`)))
  expect(answers.map(({ used }) => used).toSorted((a, b) => a - b)).toEqual(answers.map((_, n) => n + 1))
  // One for the call that came first, which also sufficed for the others.
  expect(opened).toBe(3)
})

test("an expensive call is refused without the cheaper ones that wait beside it", async () => {
  const { reserve } = scripted({
    open: async ({ least }) => (least > 10 ? { ...LEASED, reserved: null, used: 90 } : LEASED),
  })
  const answers = await Promise.all([reserve("a", { credits: 50 }), reserve("b"), reserve("c", { credits: 50 })])
  expect(answers.map(({ granted }) => granted)).toEqual([false, true, false])
})

test("an idle lease is returned by the alarm, and a failed return is repeated a minute later", async () => {
  let isDown = true
  const { world, leases, reserve } = scripted({
    settle: async (all) => {
      if (isDown) throw new Error("no answer")
      world.settled.push(...all)
    },
  })
  await reserve("a")
  leases.settle("a", 1)
  expect(world.wakeAt.at(-1)).toBe(10_000)
  world.now = 10_000
  await leases.wake()
  expect([world.wakeAt.at(-1), world.saved.length]).toEqual([70_000, 1])
  isDown = false
  world.now = 70_000
  await leases.wake()
  expect([world.settled, world.saved]).toEqual([[{ id: "l1", keep: 1, paid: 1 }], []])
  expect(leases.isEmpty).toBe(true)
})

test("charges that end together are stored in one write", async () => {
  const { world, leases, reserve } = scripted({})
  for (const id of ["a", "b", "c"]) await reserve(id)
  const spends = () => world.saved.flatMap((lease) => Object.keys(lease.spends))
  for (const id of ["a", "b"]) leases.settle(id, 1)
  expect(spends()).toEqual(["a", "b", "c"])
  for (const save of world.later) save()
  expect([world.later.length, spends(), world.saved[0]!.paid]).toEqual([1, ["c"], 2])
  // Another write stores a settlement along the way.
  leases.settle("c", 1)
  await reserve("d")
  expect(spends()).toEqual(["d"])
})
