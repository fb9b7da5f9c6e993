import { sql } from "drizzle-orm"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { FAULTS, LeaseWorld } from "../support/deps/lease-world.ts"
import { startDatabase } from "../support/stack/database.ts"

/** FUZZ_RUNS=500 FUZZ_SEED=$RANDOM runs more and other cases. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 12)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123)

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

let worlds = 0
const world = (limit: number) => new LeaseWorld(database.open(), `acc_${worlds++}`, limit)

/** The model is what the callers were told: their granted and settled credits, kept by the world. */
type Command = fc.AsyncCommand<object, LeaseWorld>

/** Checks an answer: a grant stays within the limit, and only missing credits are a reason to refuse. */
function check(real: LeaseWorld, credits: number, outcomes: readonly string[]): void {
  if (outcomes.includes("granted")) expect(real.spent()).toBeLessThanOrEqual(real.limit)
  if (outcomes.includes("refused") && !real.isUncertain) expect(real.spent() + credits).toBeGreaterThan(real.limit)
}

/** Calls at once, at any limiters, each of the same price. */
class Spend implements Command {
  readonly #gates: readonly number[]
  readonly #credits: number
  readonly #isNamed: boolean
  constructor(gates: readonly number[], credits: number, isNamed: boolean) {
    this.#gates = gates
    this.#credits = credits
    this.#isNamed = isNamed
  }
  check = () => true
  async run(_: object, real: LeaseWorld) {
    const calls = this.#gates.map((gate) => real.spend(gate, this.#credits, { isNamed: this.#isNamed }))
    check(real, this.#credits, await Promise.all(calls))
  }
  toString = () => `spend(${this.#gates}, ${this.#credits}${this.#isNamed ? ", named" : ""})`
}

class Do implements Command {
  readonly #name: string
  readonly #work: (real: LeaseWorld) => unknown
  constructor(name: string, work: (real: LeaseWorld) => unknown) {
    this.#name = name
    this.#work = work
  }
  check = () => true
  async run(_: object, real: LeaseWorld) {
    await this.#work(real)
  }
  toString = () => this.#name
}

/** One call that needs a share of what is left, such as a list. */
const spendRest = (gate: number, share: number) =>
  new Do(`spendRest(${gate}, ${share})`, async (real) => {
    const credits = Math.ceil((real.limit - real.spent()) * share)
    if (credits > 0) check(real, credits, [await real.spend(gate, credits)])
  })

const gate = fc.constantFrom(0, 1)
const spends = (most: number) => fc.array(gate, { minLength: 1, maxLength: most })
const fault = fc
  .tuple(gate, fc.constantFrom(...FAULTS), fc.constantFrom("disk" as const, "ledger" as const), fc.nat(2))
  .map(
    ([n, kind, at, after]) =>
      new Do(`${kind}(${n}, ${at}, ${after})`, (real) => real.limiters[n]!.arm(kind, at, after)),
  )
const plan = fc.tuple(fc.constantFrom(20, 60, 600), fc.boolean()).map(
  ([limit, isNotified]) =>
    new Do(`plan(${limit}, ${isNotified})`, async (real) => {
      real.limit = limit
      if (isNotified) for (const limiter of real.limiters) await limiter.call((leases) => leases.retire())
    }),
)
/** Without faults, so that each refusal and each reading must be exact. */
const COMMANDS = [
  fc
    .tuple(spends(6), fc.integer({ min: 1, max: 7 }), fc.nat(3))
    .map(([gates, credits, named]) => new Spend(gates, credits, named === 0)),
  spends(12).map((gates) => new Spend(gates, 1, false)),
  fc.tuple(gate, fc.constantFrom(0.5, 1)).map(([n, share]) => spendRest(n, share)),
  fc
    .tuple(fc.nat(20), fc.constantFrom(0, 0.5, 1))
    .map(([n, share]) => new Do(`settle(${n}, ${share})`, async (real) => real.settle(n, share))),
  gate.map((n) => new Do(`restart(${n})`, (real) => real.limiters[n]!.restart())),
  gate.map((n) => new Do(`revoke(${n})`, (real) => real.limiters[n]!.call((leases) => leases.retire()))),
  fc.constantFrom(1_000, 11_000, 400_000).map((ms) => new Do(`pass(${ms})`, (real) => real.pass(ms))),
  plan,
  fc.constant(new Do("nextMonth", (real) => real.nextMonth())),
  fc.constant(
    new Do("read", async (real) => {
      await real.recall(await real.leases.openOf([real.subject])).catch(() => undefined)
      if (!real.isUncertain) expect((await real.ledger()).used).toBe(real.spent())
    }),
  ),
]
const FAULTY_COMMANDS = [...COMMANDS, fault, fault, fc.constant(new Do("late", (real) => real.arriveLate()))]

/** All is settled: the ledger has what the callers paid, and the rest of the limit can be spent to the last credit. */
async function checkEnd(real: LeaseWorld): Promise<void> {
  await real.reconcile()
  for (const period of real.periods) {
    const { used, usedByKeys, open, settled } = await real.ledger(period)
    expect({ open, used, usedByKeys }).toEqual({ open: 0, used: settled, usedByKeys: settled })
    expect(settled).toBeGreaterThanOrEqual(real.billed(period).least)
    expect(settled).toBeLessThanOrEqual(real.billed(period).most)
  }
  const rest = Math.max(0, real.limit - (await real.ledger()).used)
  const outcomes = await Promise.all(Array.from({ length: rest + 2 }, (_, n) => real.spend(n % 2, 1)))
  expect(outcomes.filter((outcome) => outcome === "granted")).toHaveLength(rest)
  expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(2)
}

describe("two limiters of one account", () => {
  test.each([
    { about: "calls and changes", commands: COMMANDS },
    { about: "calls, changes and faults", commands: FAULTY_COMMANDS },
  ])(
    "after any $about: never beyond the limit, the whole limit, and billed what was paid",
    async ({ commands }) => {
      const property = fc.asyncProperty(
        fc.commands(commands, { maxCommands: 30 }),
        fc.constantFrom(20, 60, 600),
        async (sequence, limit) => {
          const real = world(limit)
          await fc.asyncModelRun(() => ({ model: {}, real }), sequence)
          await checkEnd(real)
        },
      )
      await fc.assert(property, { numRuns: RUNS, seed: SEED })
    },
    120_000,
  )

  test("one hundred calls at once with sixty credits left: exactly sixty are served, with few writes", async () => {
    let trips = 0
    const around = <T>(trip: () => Promise<T>) => {
      trips++
      return trip()
    }
    const real = new LeaseWorld(database.open({ around }), `acc_${worlds++}`, 60)
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => real.spend(0, 1)))
    expect(outcomes.filter((outcome) => outcome === "granted")).toHaveLength(60)
    // One for the first call, one for the others, and two that find neither the month nor bought credits.
    expect(trips).toBe(4)
  })

  test("what one leased and did not spend, the other can spend", async () => {
    const real = world(600)
    for (let n = 0; n < 3; n++) expect(await real.spend(0, 1)).toBe("granted")
    expect((await real.ledger()).used).toBe(11)
    expect(await real.spend(1, 597)).toBe("granted")
    expect(await Promise.all([real.spend(0, 1), real.spend(1, 1)])).toEqual(["refused", "refused"])
    expect((await real.ledger()).used).toBe(600)
  })

  test("bought credits are leased when the month is used up, and revoked as far as no call uses them", async () => {
    const real = world(5)
    const credits = () => real.charges.creditsOf(real.subject)
    const billing = createBillingStore(database.open())
    const bought = { checkoutId: `cs_${real.subject}`, accountId: real.subject, credits: 600, at: 1 }
    await database.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${real.subject}, 1)`)
    await billing.addCredits(bought)
    for (let n = 0; n < 8; n++) expect(await real.spend(0, 1)).toBe("granted")
    expect([(await real.ledger()).used, await credits()]).toEqual([5, 590])
    await real.recall(await real.leases.openOf([real.subject]))
    expect(await credits()).toBe(597)
    await billing.revokeCredits({ ...bought, at: 2 })
    expect([await credits(), await real.spend(0, 1), await real.spend(1, 1)]).toEqual([0, "refused", "refused"])
    // A refund of a call whose credits were revoked returns nothing; the month's are free again.
    while (real.calls.length > 0) await real.settle(0, 0)
    await real.pass(60_000)
    expect([(await real.ledger()).used, await credits()]).toEqual([0, 0])
  })

  test("a lease that opens after its limiter has given it up ends at no cost before a refusal", async () => {
    const real = world(20)
    real.limiters[0].arm("arrives later", "ledger", 0)
    expect(await real.spend(0, 20)).toBe("no answer")
    await real.pass(60_000)
    await real.arriveLate()
    expect(await real.ledger()).toMatchObject({ used: 20, open: 1 })
    expect(await real.spend(1, 20)).toBe("granted")
    expect((await real.ledger()).used).toBe(20)
  })

  test("leases of another installation end at no cost before a refusal", async () => {
    const real = world(20)
    await real.leases.open(
      {
        ...{ id: `lost_${real.subject}`, gate: "of another namespace", subject: real.subject, keyId: null },
        ...{ period: real.period, limit: 20, least: 20, waiting: 20, wanted: 20, settlements: [] },
      },
      "month",
      real.now,
    )
    expect((await real.ledger()).used).toBe(20)
    expect(await real.spend(0, 20)).toBe("granted")
  })

  test("a lease that no limiter has settled for a day costs nothing", async () => {
    const real = world(600)
    for (let n = 0; n < 2; n++) await real.spend(0, 1)
    expect((await real.ledger()).used).toBe(11)
    await real.charges.refundAbandoned({ call: 0, job: 0, lease: real.now })
    expect((await real.ledger()).open).toBe(2)
    await real.charges.refundAbandoned({ call: 0, job: 0, lease: real.now + 1 })
    expect(await real.ledger()).toEqual({ used: 0, usedByKeys: 0, open: 0, settled: 0 })
  })
})
