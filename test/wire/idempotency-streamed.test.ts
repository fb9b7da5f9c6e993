import { describe, expect, test } from "vitest"
import {
  type Call,
  EMAIL,
  erase,
  hashOf,
  post,
  request,
  useChargingEndpoint,
  used,
  world,
} from "../support/stack/charging-endpoint.ts"

useChargingEndpoint()

describe("a streamed body is compared by its content", () => {
  const list = (credits: number, more: Call = {}) => post(credits, { key: "k", isStreamed: true, ...more })

  test("the same content gets the first answer, another one 422", async () => {
    expect([await list(5), await list(5), await list(6)]).toEqual([200, 200, 422])
    expect([world.endpointCalls, await used()]).toEqual([1, 5])
  })

  test("a request that loses the key while its body arrives runs nothing", async () => {
    const outcomes = []
    for (const [key, other] of [
      ["same", 5],
      ["another", 6],
    ] as const)
      outcomes.push(await list(5, { key, onRead: () => list(other, { key }) }))
    expect(outcomes).toEqual([200, 422])
    expect([world.endpointCalls, await used()]).toEqual([2, 11])
  })

  test("while the first request runs, the same content is 409 and another one 422", async () => {
    const during: number[] = []
    const { ctx } = await request()
    const key = await ctx.digests.of("idempotency", `${world.subject}\nk`)
    const hash = await hashOf(5)
    await ctx.store.idempotency.claim({ key, hash, now: world.now, heldUntil: world.now + 120_000 })
    during.push(await list(5), await list(6))
    world.now += 121_000
    during.push(await list(6), await list(5))
    expect(during).toEqual([409, 422, 422, 200])
    expect([world.endpointCalls, await used()]).toEqual([1, 5])
  })

  test("a failure is charged once, and an erased answer runs again", async () => {
    expect(await list(5, { ending: "failing after its charge" })).toBe(503)
    expect([await list(6), await list(5), await list(5)]).toEqual([422, 200, 200])
    expect([world.endpointCalls, await used()]).toEqual([2, 5])
    world.now += 1
    await erase("address", EMAIL)
    world.now += 1
    expect([await list(5), await list(5)]).toEqual([200, 200])
    expect([world.endpointCalls, await used()]).toEqual([3, 10])
  })
})
