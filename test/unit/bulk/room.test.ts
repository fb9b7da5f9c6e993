import { describe, expect, test } from "vitest"
import type { Member } from "../../../src/domain/accounts/caller.ts"
import { roomOf } from "../../../src/services/bulk/start-received.ts"

const NOW = Date.UTC(2026, 10, 5)

/** A charge is taken whole from one of two places, so the larger of them is what a list may cost. */
describe("what a caller can still pay for", () => {
  test.each([
    { about: "a month never touched", perMonth: 100, used: 0, credits: null, addresses: 100, refusal: "rate_limited" },
    { about: "the rest of a month", perMonth: 100, used: 80, credits: null, addresses: 20, refusal: "rate_limited" },
    {
      about: "bought credits",
      perMonth: 100,
      used: 100,
      credits: 50_000,
      addresses: 50_000,
      refusal: "payment_required",
    },
    {
      about: "a month larger than them",
      perMonth: 900,
      used: 0,
      credits: 5,
      addresses: 900,
      refusal: "payment_required",
    },
    { about: "credits used up", perMonth: 100, used: 100, credits: 0, addresses: 0, refusal: "payment_required" },
    { about: "no limit", perMonth: null, used: 9, credits: null, addresses: Infinity, refusal: "rate_limited" },
  ])("$about", async ({ perMonth, used, credits, addresses, refusal }) => {
    const charges = { countedFor: async () => used, creditsOf: async () => credits } as never
    const caller = { subject: "acc", allowance: { perMonth, perMinute: null } } as Member
    const room = await roomOf({ charges, clock: { now: () => NOW } as never, gates: {} as never }, caller)
    expect(room.addresses).toBe(addresses)
    expect(room.refusal().code).toBe(refusal)
  })

  test("who asks for more than the month has left is told so, and not to be too fast", async () => {
    const charges = { countedFor: async () => 80, creditsOf: async () => null } as never
    const caller = { subject: "acc", allowance: { perMonth: 100, perMinute: 10 } } as Member
    const { message } = (
      await roomOf({ charges, clock: { now: () => NOW } as never, gates: {} as never }, caller)
    ).refusal()
    expect(message).toMatch(
      /^the month's limit of 100 is reached: 80 used, this list asks for more; retry in \d+ seconds$/,
    )
  })
})
