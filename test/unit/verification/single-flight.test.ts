import { expect, test } from "vitest"
import { createSingleFlight } from "../../../src/adapters/verification/single-flight.ts"

/** A Durable Object that restarts during a call, as in a deployment. */
const restarted = () => Promise.reject<never>(new Error("Durable Object reset because its code was updated."))

test("a caller that cannot reach the object does the work alone, and its release does not fail", async () => {
  const singleFlight = createSingleFlight({
    idFromName: (name) => name,
    get: () => ({ acquire: restarted, release: restarted }),
  })
  expect(await singleFlight.acquire("a1", 1_000)).toBe(true)
  await expect(singleFlight.release("a1")).resolves.toBeUndefined()
})
