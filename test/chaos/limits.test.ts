import { afterAll, beforeAll, expect, test } from "vitest"
import { ChaosStack } from "../support/chaos-stack.ts"

const SEEDS = Number(process.env.CHAOS_SEEDS ?? 1)
const GUESSES = SEEDS > 1 ? 10_000 : 300

let chaos: ChaosStack
beforeAll(async () => {
  chaos = await ChaosStack.start({
    // As `npm start` on a machine of one's own: nobody in front who could say where a request comes from.
    settings: { CLIENT_IP_HEADER: "", ANONYMOUS_PER_MINUTE: "10", ANONYMOUS_PER_MONTH: "1000" },
  })
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(() => chaos.stop())

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  "seed %i: 500 addresses at once with 100 credits left: exactly 100 are served",
  { timeout: 90_000 },
  async (seed) => {
    const key = await chaos.newKey("free")
    const lists = Array.from({ length: 10 }, (_, list) =>
      Array.from({ length: 50 }, (_, n) => `user${list * 50 + n}-spent${seed}@d0820.test`),
    )
    const answers = await Promise.all(lists.map((emails) => chaos.call("/validate/bulk", { key, body: { emails } })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBe(2)
    expect(statuses.filter((status) => status === 402 || status === 429).length).toBe(8)
    const { body } = await chaos.call<{ credits_used: number }>("/usage", { key })
    expect(body.credits_used).toBe(100)
  },
)

test("whatever a stranger says of where it comes from, it is one stranger", async () => {
  const statuses = []
  for (let n = 0; n < 14; n++) {
    const forged = Object.fromEntries(
      ["x-forwarded-for", "cf-connecting-ip", "x-real-ip", "forwarded", "true-client-ip"].map((name) => [
        name,
        `192.0.2.${n}`,
      ]),
    )
    statuses.push((await chaos.call(`/validate?email=user${n}@d0821.test`, { headers: forged })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), ...Array.from({ length: 4 }, () => 429)])
})

test("guessing ids tells nothing: by no answer, and by no time", { timeout: 300_000 }, async () => {
  const [mine, theirs] = [await chaos.newKey(), await chaos.newKey()]
  const { body } = await chaos.call<{ keys: { key_id: string }[] }>("/keys", { key: theirs })
  const foreign = body.keys[0]!.key_id
  const times: Record<"foreign" | "unknown", number[]> = { foreign: [], unknown: [] }
  for (let n = 0; n < GUESSES; n++) {
    const kind = n % 2 === 0 ? "foreign" : "unknown"
    const id = kind === "foreign" ? foreign : `kid_${String(n).padStart(24, "0")}`
    const answer = await chaos.call(`/keys/${id}/usage`, { key: mine })
    expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ detail: expect.any(String) })])
    times[kind].push(answer.ms)
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
  const ratio = median(times.foreign) / median(times.unknown)
  expect(ratio).toBeGreaterThan(0.6)
  expect(ratio).toBeLessThan(1.6)
})

test("nothing of this was a surprise to the service", () => {
  expect(chaos.bugs).toEqual([])
})
