import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ChaosStack } from "../support/chaos-stack.ts"
import type { Lie } from "../support/lying-node.ts"

const SEEDS = Number(process.env.CHAOS_SEEDS ?? 1)
const TEN_MINUTES = 600_000

interface Bulk {
  readonly results: readonly { readonly email: string; readonly status: string }[]
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
    const { body } = await chaos.call<string>("/regions/health")
    expect(JSON.stringify(body)).toMatch(/clock/)
  })
})

const LIES: Lie[] = ["wrong signature", "foreign recipients", "duplicates", "tenfold", "dies", "silence"]

describe("a node that lies or dies in the middle", () => {
  const cases = Array.from({ length: SEEDS }, (_, seed) => LIES.map((lie) => ({ lie, seed }))).flat()
  test.each(cases)(
    "$lie, seed $seed: everybody asked about is answered once and billed once",
    { timeout: 60_000 },
    async ({ lie, seed }) => {
      const emails = emailsOf(`${lie.replaceAll(" ", "")}${seed}`, 60)
      const before = await used()
      chaos.nodes[0]!.liar.lie = lie
      try {
        const { status, body } = await chaos.call<Bulk>("/validate/bulk/turbo", { key, body: { emails } })
        expect(status).toBe(200)
        expect(body.results.map(({ email }) => email)).toEqual(emails)
        const known = body.results.filter(({ status }) => status !== "unknown")
        expect(known.every(({ status }) => status === "valid")).toBe(true)
        expect((await used()) - before).toBe(known.length)
        // A second node is there: what the first did not tell the truth about is asked of it.
        expect(known.length).toBe(emails.length)
      } finally {
        chaos.nodes[0]!.liar.lie = "none"
      }
    },
  )

  test("all of them at once: unknown and not billed, and never a word that was not true", {
    timeout: 60_000,
  }, async () => {
    const emails = emailsOf("all", 20)
    const before = await used()
    for (const { liar } of chaos.nodes) liar.lie = "wrong signature"
    try {
      const { status, body } = await chaos.call<Bulk>("/validate/bulk", { key, body: { emails } })
      expect(status).toBe(200)
      expect(new Set(body.results.map(({ status }) => status))).toEqual(new Set(["unknown"]))
      expect((await used()) - before).toBe(0)
    } finally {
      for (const { liar } of chaos.nodes) liar.lie = "none"
    }
  })
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
