import { describe, expect, test } from "vitest"
import type { Breach } from "../../../src/adapters/breach/breach-source.ts"
import type { BreachAnswer, BreachStore } from "../../../src/adapters/store/breaches.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { createDigests } from "../../../src/domain/keys/digest.ts"
import { checkBreaches, checkBreachesBeside } from "../../../src/services/verification/check-breaches.ts"
import { findBreachIntel } from "../../../src/services/verification/find-breach-intel.ts"
import { findBreaches } from "../../../src/services/verification/find-breaches.ts"

const FORUM: Breach = { name: "Forum", breachedOn: null, exposed: [] }
const SHOP: Breach = { name: "Shop", breachedOn: null, exposed: [] }
const address = parseAddress("alice@mailbox.test") as ValidAddress
const digests = await createDigests(["p".repeat(32)])

/** @param service null: none is configured; "down": it does not answer. @param imported null: nothing was imported */
function world(service: readonly Breach[] | "down" | null, imported: readonly Breach[] | null) {
  const asked: string[] = []
  const credits: number[] = []
  const reserved: number[] = []
  let kept: BreachAnswer | null = null
  const breaches: BreachStore = {
    sets: async () => (imported ? [{ name: "Forum", breachedOn: null, addresses: 1, importedAt: 0 }] : []),
    among: async () => [...(imported ?? [])],
    answer: async (_, now) => (kept && kept.expiresAt > now ? kept : null),
    async saveAnswer(_, answer) {
      kept = answer
    },
    forgetAnswers: async () => undefined,
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
  const needs = {
    clock: { now: () => time.now, sleep: async () => undefined },
    digests,
    breaches,
    breachService,
    background: () => undefined,
    meter: {
      countFor: () => undefined,
      nameCharges: () => undefined,
      admit: async () => undefined,
      state: () => null,
      reserve: async (most: number) => {
        reserved.push(most)
        return { chargeId: "c", settle: async (used: number) => void credits.push(used) }
      },
    },
  }
  return { needs, asked, credits, reserved, time }
}

describe("what sources say together", () => {
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
    expect((await findBreaches(world(service, imported).needs, address)).finding).toEqual(finding)
  })

  test("an answer is kept for a week, a failure not at all", async () => {
    const answering = world([FORUM], null)
    await findBreaches(answering.needs, address)
    answering.time.now = 7 * 86_400_000 - 1
    expect((await findBreaches(answering.needs, address)).answers[0]).toMatchObject({ isKept: true, answeredAt: 0 })
    expect(answering.asked).toHaveLength(1)
    answering.time.now++
    await findBreaches(answering.needs, address)
    expect(answering.asked).toHaveLength(2)
    const down = world("down", null)
    await findBreaches(down.needs, address)
    await findBreaches(down.needs, address)
    expect(down.asked).toHaveLength(2)
  })
})

describe("the extra credit", () => {
  test.each([
    ["an answer", [FORUM], null, 1],
    ["an answer of none", [], null, 1],
    ["no answer", "down", null, 0],
    ["half an answer", "down", [], 0],
    ["no source", null, null, 0],
  ] as const)("%s", async (_, service, imported, expected) => {
    const { needs, credits } = world(service, imported)
    await checkBreaches(needs, address)
    expect(credits).toEqual([expected])
  })

  test("is not paid for what was known", async () => {
    const { needs, credits } = world([FORUM], null)
    await checkBreaches(needs, address)
    await checkBreaches(needs, parseAddress("Alice@mailbox.test") as ValidAddress)
    expect(credits).toEqual([1, 0])
  })
})

test("whoever has no credit to spare is not refused where there is no source to pay for", async () => {
  const [none, imported, service] = [world(null, null), world(null, []), world([], null)]
  for (const { needs } of [none, imported, service])
    await checkBreachesBeside(needs, address, { work: async () => "verified", wallAt: 1_000 })
  expect([none.reserved, imported.reserved, service.reserved]).toEqual([[0], [1], [1]])
})

describe("beside a verification", () => {
  const beside = (needs: Parameters<typeof checkBreachesBeside>[0]) =>
    checkBreachesBeside(needs, address, { work: async () => "verified", wallAt: 1_000 })

  test("they are in its answer, and paid for", async () => {
    const { needs, credits } = world([FORUM], null)
    const timely = { ...needs, clock: { ...needs.clock, sleep: () => new Promise<undefined>(() => undefined) } }
    expect(await beside(timely)).toMatchObject({ done: "verified", search: { finding: { found: true, count: 1 } } })
    expect(credits).toEqual([1])
  })

  test("the caller's wall holds for them, too: later they are kept for whoever asks again", async () => {
    const { needs, credits } = world([FORUM], null)
    const late: Promise<unknown>[] = []
    const hanging = { name: "service", breachesOf: () => new Promise<null>(() => undefined) }
    const waiting = { ...needs, breachService: hanging, background: (work: Promise<unknown>) => void late.push(work) }
    expect(await beside(waiting)).toEqual({ done: "verified", search: null })
    expect(credits).toEqual([0])
    expect(late).toHaveLength(1)
  })
})

describe("/verify/breach-intel", () => {
  test("without any source it is 503 and names the setting", async () => {
    const { needs } = world(null, null)
    await expect(findBreachIntel(needs, { email: "alice@mailbox.test" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("HIBP_API_KEY"),
    })
  })
})
