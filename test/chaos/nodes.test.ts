import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { NodeFault } from "../support/mail/faulty-node.ts"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

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
  test("is marked unfit, and the others answer every request", async () => {
    await chaos.nodeIs("node-2", "unfit")
    const answers = await Promise.all(
      emailsOf("clock", 20).map((email) => chaos.call(`/validate?email=${email}`, { key })),
    )
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: "valid" })
    }
    const { body } = await chaos.call<string>("/regions/health", {
      headers: { "x-admin-secret": chaos.adminSecret },
    })
    expect(JSON.stringify(body)).toMatch(/clock/)
  })
})

const FAULTS: NodeFault[] = ["wrong signature", "foreign recipients", "duplicates", "tenfold", "dies"]

async function verify(emails: readonly string[]) {
  const before = await used()
  const { status, body } = await chaos.call<Bulk>("/validate/bulk/turbo", { key, body: { emails } })
  expect(status).toBe(200)
  expect(body.results.map(({ checks }) => checks.email)).toEqual(emails)
  const known = body.results.map(({ checks }) => checks.status).filter((status) => status !== "unknown")
  expect((await used()) - before).toBe(known.length)
  return known
}

describe("nodes that send false results or die", () => {
  // This test runs first: it gives all nodes the same penalty, so that later requests still reach each of them.
  test("all nodes at once: unknown, not billed, and no false result", async () => {
    for (const { faultyNode } of chaos.nodes) faultyNode.fault = "wrong signature"
    try {
      expect(await verify(emailsOf("all", 40))).toEqual([])
    } finally {
      for (const { faultyNode } of chaos.nodes) faultyNode.fault = "none"
    }
  })

  const cases = Array.from({ length: SEEDS }, (_, seed) => FAULTS.map((fault) => ({ fault, seed }))).flat()
  test.each(cases)(
    "$fault, seed $seed: the other node answers each address once, and each is billed once",
    async ({ fault, seed }) => {
      const { faultyNode } = chaos.nodes[seed % 2]!
      faultyNode.fault = fault
      try {
        for (
          let round = 0, before = faultyNode.changedAnswers;
          round < 8 && faultyNode.changedAnswers === before;
          round++
        ) {
          const known = await verify(emailsOf(`${fault.replaceAll(" ", "")}-${seed}-${round}`, 60))
          expect(known).toEqual(Array.from({ length: 60 }, () => "valid"))
        }
        expect(faultyNode.changedAnswers).toBeGreaterThan(0)
      } finally {
        faultyNode.fault = "none"
      }
    },
  )
})

test("another node answers in place of a node that never answers", async () => {
  const { faultyNode } = chaos.nodes[0]!
  faultyNode.fault = "silence"
  try {
    for (let round = 0, before = faultyNode.changedAnswers; round < 4 && faultyNode.changedAnswers === before; round++)
      for (const email of emailsOf(`silence${round}`, 5)) {
        const { body } = await chaos.call(`/validate?email=${email}`, { key })
        expect(body.status).toBe("valid")
      }
    expect(faultyNode.changedAnswers).toBeGreaterThan(0)
  } finally {
    faultyNode.fault = "none"
  }
})

describe("the connection to the nodes", () => {
  test.each([
    { kind: "reset" },
    { kind: "half-open" },
    { kind: "cut", afterBytes: 900 },
    { kind: "drip", everyMs: 2 },
    { kind: "bandwidth", bytesPerSecond: 2_000 },
  ] as const)("$kind at one node: the other answers", async (fault) => {
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

test("the service logged no unhandled error", () => {
  expect(chaos.bugs).toEqual([])
})
