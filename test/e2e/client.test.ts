import { expect, inject, test } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { newKey, usedCredits } from "../support/stack/account.ts"

test("a retry after a lost connection gets the first request's response and is charged once", async () => {
  const key = await newKey()
  const statuses: (number | "lost")[] = []
  const refusals: unknown[] = []
  /** The first request continues at the service, but the client loses its response. */
  const losing: typeof fetch = async (...request) => {
    const response = fetch(...request)
    if (statuses.length === 0) {
      statuses.push("lost")
      throw new TypeError("the connection was lost")
    }
    const { status } = await response
    statuses.push(status)
    if (status !== 200) refusals.push(await (await response).clone().json())
    return response
  }
  const client = createClient({ baseUrl: inject("stackUrl"), apiKey: key.secret, fetch: losing })
  expect(await client.call("validateByBody", { email: "nobody@tarpit.test" })).toMatchObject({ status: "invalid" })
  expect(statuses.slice(0, 2)).toEqual(["lost", 409])
  expect(refusals[0]).toMatchObject({ code: "idempotency_in_progress" })
  expect(statuses.at(-1)).toBe(200)
  expect(await usedCredits(key)).toBe(1)
})
