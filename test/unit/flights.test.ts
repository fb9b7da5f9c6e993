import { expect, test } from "vitest"
import { createFlights } from "../../src/adapters/flights/flights.ts"

/** A place that is moved or restarted while it is asked, as by a deploy. */
const restarted = () => Promise.reject<never>(new Error("Durable Object reset because its code was updated."))

test("who cannot meet the others finds out alone, and what was found out is not lost over it", async () => {
  const flights = createFlights({ idFromName: (name) => name, get: () => ({ enter: restarted, land: restarted }) })
  expect(await flights.enter("a1", 1_000)).toBe(true)
  await expect(flights.land("a1")).resolves.toBeUndefined()
})
