import { expect, test } from "vitest"
import { AppError } from "../../../src/errors.ts"
import { checkQuickly } from "../../../src/services/verification/quick-checks.ts"
import { testMeter } from "../../support/deps/context.ts"
import { unstoredContext } from "../../support/deps/unstored-context.ts"

const ZONE = {
  "example.com": { MX: [{ host: "mx.example.com", preference: 10 }] },
  "mx.example.com": { A: ["192.0.2.1"] },
}
const FROM_DNS = { status: "unknown", mxValid: true, cached: false, verifiedAt: null }

/** A context without a result at the edge, whose database answers so. */
const context = (knownAbout: () => Promise<never>, sleep: () => Promise<void>) =>
  unstoredContext(ZONE, {
    clock: { now: () => 0, sleep },
    flags: { isKnownEmpty: () => true, get: async () => [] },
    cache: { isKnownMiss: () => false, get: async () => null },
    background: () => undefined,
    store: { results: { knownAbout } },
  })

const forever = () => new Promise<never>(() => undefined)

test.each([
  ["does not answer in time", forever, async () => undefined],
  ["fails", () => Promise.reject(new AppError("unavailable", "busy")), forever],
])("DNS alone answers when the store %s", async (_, knownAbout, sleep) => {
  let counted = 0
  const meter = testMeter({ authorize: async () => void counted++ })
  const asked = { email: "alice@example.com", accountId: null }
  expect(await checkQuickly(await context(knownAbout, sleep), meter, asked)).toMatchObject(FROM_DNS)
  expect(counted).toBe(1)
})

test("another failure of the store is not hidden", async () => {
  const knownAbout = () => Promise.reject(new Error("a defect"))
  const asked = { email: "alice@example.com", accountId: null }
  await expect(checkQuickly(await context(knownAbout, forever), testMeter(), asked)).rejects.toThrow("a defect")
})
