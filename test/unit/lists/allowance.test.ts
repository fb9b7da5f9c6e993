import { describe, expect, test } from "vitest"
import type { Member } from "../../../src/domain/accounts/caller.ts"
import { allowanceOf } from "../../../src/services/lists/start-job.ts"
import { testContext } from "../../support/deps/context.ts"

const NOW = Date.UTC(2026, 10, 5)

interface Account {
  readonly perMonth: number | null
  readonly used: number
  readonly credits: number | null
}

function roomOf({ perMonth, used, credits }: Account) {
  const charges = { countedFor: async () => used, creditsOf: async () => credits } as never
  const leases = { openOf: async () => [] }
  const ctx = testContext({ clock: { now: () => NOW } as never, keyLimiters: {} as never, store: { charges, leases } })
  return allowanceOf(ctx, { subject: "acc", allowance: { perMonth, perMinute: null } } as Member)
}

/** A charge comes from one of two sources, so the larger one limits a list. */
describe("the allowance of a caller", () => {
  test.each([
    { about: "an unused month", perMonth: 100, used: 0, credits: null, addresses: 100, refusal: "month_exceeded" },
    { about: "a partly used month", perMonth: 100, used: 80, credits: null, addresses: 20, refusal: "month_exceeded" },
    {
      about: "bought credits",
      perMonth: 100,
      used: 100,
      credits: 50_000,
      addresses: 50_000,
      refusal: "credits_exhausted",
    },
    {
      about: "a monthly limit above the bought credits",
      perMonth: 900,
      used: 0,
      credits: 5,
      addresses: 900,
      refusal: "credits_exhausted",
    },
    { about: "no credits left", perMonth: 100, used: 100, credits: 0, addresses: 0, refusal: "credits_exhausted" },
    { about: "no limit", perMonth: null, used: 9, credits: null, addresses: Infinity, refusal: "credits_exhausted" },
  ])("$about", async ({ perMonth, used, credits, addresses, refusal }) => {
    const room = await roomOf({ perMonth, used, credits })
    expect(room.addresses).toBe(addresses)
    expect(room.refusal(1).code).toBe(refusal)
  })

  test.each([
    [
      21,
      "month_exceeded",
      /^the month's limit of 100 leaves too little: 80 used, 21 asked for; the next month begins on /,
    ],
    [101, "month_too_small", /^101 credits are needed, more than the whole month's limit of 100: split the work/],
  ])("a list of %i addresses, of which a month has 100 and its rest 20, is %s", async (addresses, code, message) => {
    const room = await roomOf({ perMonth: 100, used: 80, credits: null })
    expect(room.refusal(addresses)).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test("a plan without credits asks for a key of another plan", async () => {
    const room = await roomOf({ perMonth: 0, used: 0, credits: null })
    expect(room.refusal(1)).toMatchObject({
      code: "plan_required",
      message: expect.stringContaining("send an API key"),
    })
  })
})
