import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ChaosStack } from "../support/chaos-stack.ts"
import type { Lie } from "../support/lying-node.ts"

const SEEDS = Number(process.env.CHAOS_SEEDS ?? 1)
const TEN_MINUTES = 600_000

interface Bulk {
  readonly results: readonly { readonly checks: { readonly email: string; readonly status: string } }[]
}

let chaos: ChaosStack
let key = ""
beforeAll(async () => {
  chaos = await ChaosStack.start({ clocks: [0, 0, TEN_MINUTES] })
  key = await chaos.newKey()
  await Promise.all([chaos.nodeIs("node-0", "healthy"), chaos.nodeIs("node-1", "healthy")])
})
afterAll(() => chaos.stop())

const used = async () => (await chaos.call<{ credits_used: number }>("/usage", { key })).body.credits_used
const emailsOf = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `user${n}-${word}@d07${String(n % 20).padStart(2, "0")}.test`)

describe("a node whose clock is ten minutes off", () => {
  test("is found unfit; the others answer everybody", async () => {
    await chaos.nodeIs("node-2", "unfit")
    const answers = await Promise.all(
      emailsOf("clock", 20).map((email) => chaos.call(`/validate?email=${email}`, { key })),
    )
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: "valid" })
    }
    const { body } = await chaos.call<string>("/regions/health", { key })
    expect(JSON.stringify(body)).toMatch(/clock/)
  })
})

const LIES: Lie[] = ["wrong signature", "foreign recipients", "duplicates", "tenfold", "dies"]

async function verify(emails: readonly string[]) {
  const before = await used()
  const { status, body } = await chaos.call<Bulk>("/validate/bulk/turbo", { key, body: { emails } })
  expect(status).toBe(200)
  expect(body.results.map(({ checks }) => checks.email)).toEqual(emails)
  const known = body.results.map(({ checks }) => checks.status).filter((status) => status !== "unknown")
  expect((await used()) - before).toBe(known.length)
  return known
}

describe("nodes that lie or die in the middle", () => {
  // First, for it leaves all of them in disgrace: from then on none is passed over, and each lie below is heard.
  test("all of them at once: unknown and not billed, and never a word that was not true", {
    timeout: 60_000,
  }, async () => {
    for (const { liar } of chaos.nodes) liar.lie = "wrong signature"
    try {
      expect(await verify(emailsOf("all", 40))).toEqual([])
    } finally {
      for (const { liar } of chaos.nodes) liar.lie = "none"
    }
  })

  const cases = Array.from({ length: SEEDS }, (_, seed) => LIES.map((lie) => ({ lie, seed }))).flat()
  test.each(cases)(
    "$lie, seed $seed: everybody is answered once, by the other, and billed once",
    { timeout: 60_000 },
    async ({ lie, seed }) => {
      const { liar } = chaos.nodes[seed % 2]!
      liar.lie = lie
      try {
        for (let round = 0, told = liar.told; round < 8 && liar.told === told; round++) {
          const known = await verify(emailsOf(`${lie.replaceAll(" ", "")}-${seed}-${round}`, 60))
          expect(known).toEqual(Array.from({ length: 60 }, () => "valid"))
        }
        expect(liar.told).toBeGreaterThan(0)
      } finally {
        liar.lie = "none"
      }
    },
  )
})

test("one that takes questions and never answers is overtaken by another", { timeout: 60_000 }, async () => {
  const { liar } = chaos.nodes[0]!
  liar.lie = "silence"
  try {
    for (let round = 0, told = liar.told; round < 4 && liar.told === told; round++)
      for (const email of emailsOf(`silence${round}`, 5)) {
        const { body, ms } = await chaos.call(`/validate?email=${email}`, { key })
        expect([body.status, ms < 20_000]).toEqual(["valid", true])
      }
    expect(liar.told).toBeGreaterThan(0)
  } finally {
    liar.lie = "none"
  }
})

describe("the line to the nodes", () => {
  test.each([
    { kind: "reset" },
    { kind: "half-open" },
    { kind: "cut", afterBytes: 900 },
    { kind: "drip", everyMs: 5 },
    { kind: "bandwidth", bytesPerSecond: 2_000 },
  ] as const)("$kind on one: the other answers", { timeout: 60_000 }, async (fault) => {
    const emails = emailsOf(fault.kind, 10)
    const { proxy } = chaos.nodes[0]!
    proxy.cutAll()
    proxy.fault = fault
    try {
      const answers = await Promise.all(emails.map((email) => chaos.call(`/validate?email=${email}`, { key })))
      expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200))
      expect(answers.filter(({ body }) => body.status === "valid").length).toBe(emails.length)
    } finally {
      proxy.fault = { kind: "none" }
      proxy.cutAll()
    }
  })
})

test("nothing of this was a surprise to the service", () => {
  expect(chaos.bugs).toEqual([])
})
