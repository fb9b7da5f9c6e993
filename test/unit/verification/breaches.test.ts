import { describe, expect, test } from "vitest"
import type { UsageMeter } from "../../../src/adapters/accounts/usage-meter.ts"
import type { Breach } from "../../../src/adapters/signals/breach-source.ts"
import type { BreachAnswer, BreachStore } from "../../../src/adapters/store/signals/breaches.ts"
import type { Context } from "../../../src/context.ts"
import type { Caller } from "../../../src/domain/accounts/caller.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import {
  breachResultOf,
  checkBreaches,
  checkBreachesBeside,
  findBreaches,
  findBreachIntel,
} from "../../../src/services/verification/breaches.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"

const FORUM: Breach = { name: "Forum", breachedOn: null, exposed: [] }
const SHOP: Breach = { name: "Shop", breachedOn: null, exposed: [] }
const address = parseAddress("alice@mailbox.test") as ValidAddress
const digests = await createDigests(["p".repeat(32)])

/** @param service null: not configured; "down": no response. @param imported null: no import */
function world(service: readonly Breach[] | "down" | null, imported: readonly Breach[] | null) {
  const asked: string[] = []
  const credits: number[] = []
  const reserved: number[] = []
  let kept: BreachAnswer | null = null
  const breaches: BreachStore = {
    sets: async () => (imported ? [{ name: "Forum", breachedOn: null, addresses: 1, importedAt: 0 }] : []),
    findMany: async () => [...(imported ?? [])],
    answer: async (_, now) => (kept && kept.expiresAt > now ? kept : null),
    async saveAnswer(_, answer) {
      kept = answer
    },
    deleteExpiredAnswers: async () => undefined,
    add: async () => undefined,
    saveSet: async () => undefined,
  }
  const time = { now: 0 }
  const breachService = service && {
    name: "service",
    async breachesOf(email: string) {
      asked.push(email)
      return service === "down" ? null : service
    },
  }
  const ctx = testContext({
    clock: { now: () => time.now, sleep: async () => undefined },
    digests,
    breachService,
    background: () => undefined,
    store: { breaches },
  })
  const meter = testMeter({
    reserve: async (most) => {
      reserved.push(most)
      return { chargeId: "c", settle: async (used: number) => void credits.push(used) }
    },
  })
  return { ctx, meter, asked, credits, reserved, time }
}

describe("the sources together", () => {
  test.each([
    ["no source", null, null, null],
    ["a service finds", [FORUM, SHOP], null, { found: true, count: 2 }],
    ["a service finds nothing", [], null, { found: false, count: 0 }],
    ["a service is down", "down", null, null],
    ["imported ones find", null, [FORUM], { found: true, count: 1 }],
    ["both find the same", [FORUM], [FORUM], { found: true, count: 1 }],
    ["the service is down, imported ones find", "down", [SHOP], { found: true, count: 1 }],
    ["the service is down, imported ones find nothing", "down", [], null],
    ["both find nothing", [], [], { found: false, count: 0 }],
  ] as const)("%s", async (_, service, imported, finding) => {
    expect((await findBreaches(world(service, imported).ctx, address, NO_ACCOUNT_FLAGS)).finding).toEqual(finding)
  })

  test("an answer is stored for a week, a failure not at all", async () => {
    const answering = world([FORUM], null)
    await findBreaches(answering.ctx, address, NO_ACCOUNT_FLAGS)
    answering.time.now = 7 * 86_400_000 - 1
    expect((await findBreaches(answering.ctx, address, NO_ACCOUNT_FLAGS)).answers[0]).toMatchObject({
      isStored: true,
      answeredAt: 0,
    })
    expect(answering.asked).toHaveLength(1)
    answering.time.now++
    await findBreaches(answering.ctx, address, NO_ACCOUNT_FLAGS)
    expect(answering.asked).toHaveLength(2)
    const down = world("down", null)
    await findBreaches(down.ctx, address, NO_ACCOUNT_FLAGS)
    await findBreaches(down.ctx, address, NO_ACCOUNT_FLAGS)
    expect(down.asked).toHaveLength(2)
  })
})

test("a stored answer is hidden from an account that erased the address later", async () => {
  const { ctx, asked, time } = world([FORUM], null)
  await findBreaches(ctx, address, NO_ACCOUNT_FLAGS)
  time.now = 10
  expect((await findBreaches(ctx, address, { hidesUntil: 0 })).answers[0]?.isStored).toBe(true)
  expect((await findBreaches(ctx, address, { hidesUntil: 10 })).answers[0]?.isStored).toBe(false)
  expect(asked).toHaveLength(2)
})

describe("the additional credit", () => {
  test.each([
    ["an answer", [FORUM], null, 1],
    ["an answer of none", [], null, 1],
    ["no answer", "down", null, 0],
    ["half an answer", "down", [], 0],
    ["no source", null, null, 0],
  ] as const)("%s", async (_, service, imported, expected) => {
    const { ctx, meter, credits } = world(service, imported)
    await checkBreaches(ctx, meter, { address, accountId: null, accountFlags: NO_ACCOUNT_FLAGS })
    expect(credits).toEqual([expected])
  })

  test("is not charged for a stored answer", async () => {
    const { ctx, meter, credits } = world([FORUM], null)
    await checkBreaches(ctx, meter, { address, accountId: null, accountFlags: NO_ACCOUNT_FLAGS })
    await checkBreaches(ctx, meter, {
      address: parseAddress("Alice@mailbox.test") as ValidAddress,
      accountId: null,
      accountFlags: NO_ACCOUNT_FLAGS,
    })
    expect(credits).toEqual([1, 0])
  })
})

test("a caller without credits is not refused when there is no source to pay for", async () => {
  const [none, imported, service] = [world(null, null), world(null, []), world([], null)]
  for (const { ctx, meter } of [none, imported, service])
    await checkBreachesBeside(ctx, meter, {
      address,
      work: async () => "verified",
      accountId: null,
      accountFlags: Promise.resolve(NO_ACCOUNT_FLAGS),
      deadlineAt: 1_000,
    })
  expect([none.reserved, imported.reserved, service.reserved]).toEqual([[0], [1], [1]])
})

describe("breaches with a verification", () => {
  const beside = (ctx: Context, meter: UsageMeter) =>
    checkBreachesBeside(ctx, meter, {
      address,
      work: async () => "verified",
      accountId: null,
      accountFlags: Promise.resolve(NO_ACCOUNT_FLAGS),
      deadlineAt: 1_000,
    })

  test("are in its response, and charged", async () => {
    const { ctx, meter, credits } = world([FORUM], null)
    const timely = { ...ctx, clock: { ...ctx.clock, sleep: () => new Promise<undefined>(() => undefined) } }
    expect(await beside(timely, meter)).toMatchObject({
      done: "verified",
      search: { finding: { found: true, count: 1 } },
    })
    expect(credits).toEqual([1])
  })

  test("respect the caller's deadline; a late answer is stored for the next request", async () => {
    const { ctx, meter, credits } = world([FORUM], null)
    const late: Promise<unknown>[] = []
    const hanging = { name: "service", breachesOf: () => new Promise<null>(() => undefined) }
    const waiting = {
      ...ctx,
      breachService: hanging,
      background: (work: Promise<unknown>) => void late.push(work),
    }
    expect(await beside(waiting, meter)).toEqual({ done: "verified", search: null })
    expect(credits).toEqual([0])
    expect(late).toHaveLength(1)
  })
})

describe("/verify/breach-intel", () => {
  const ANONYMOUS = { kind: "anonymous", subject: "ip:1" } as Caller

  test.each([
    [ANONYMOUS, []],
    [{ kind: "admin" }, ["Forum"]],
  ] as const)("shows %o the imports %j, and each the breaches of the address", async (caller, names) => {
    const { ctx } = world(null, [FORUM])
    const store = { ...ctx.store, suppressions: { flags: async () => new Map() } } as never
    const found = await findBreachIntel({ ...ctx, store }, testMeter(), { email: "alice@mailbox.test", caller })
    expect(found.imported.map(({ name }) => name)).toEqual(names)
    expect(found.answers).toMatchObject([{ breaches: [FORUM] }])
  })

  test("without any source it is 503 and names the setting", async () => {
    const { ctx } = world(null, null)
    const suppressions = new Proxy({}, { get: () => expect.fail("no database is needed") }) as never
    await expect(
      findBreachIntel({ ...ctx, store: { ...ctx.store, suppressions } }, testMeter(), {
        email: "alice@mailbox.test",
        caller: ANONYMOUS,
      }),
    ).rejects.toMatchObject({
      code: "not_configured",
      message: expect.stringContaining("HIBP_API_KEY"),
    })
  })
})

test.each([
  [null, null, "not_configured"],
  ["down", null, "no_answer"],
  ["down", [], "no_answer"],
  [[], null, { found: false, count: 0 }],
  ["down", [SHOP], { found: true, count: 1 }],
] as const)("service %j, import %j: the result is %j", async (service, imported, expected) => {
  const { ctx } = world(service, imported)
  expect(breachResultOf(await findBreaches(ctx, address, NO_ACCOUNT_FLAGS))).toEqual(expected)
})

test("a search that is not done before the deadline has no answer", () => {
  expect(breachResultOf(null)).toBe("no_answer")
})
