import { expect, inject, test } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { newKey, usedCredits } from "../support/stack/account.ts"

test("a retry after a lost connection gets the first request's response and is charged once", async () => {
  const key = await newKey()
  const statuses: (number | "lost")[] = []
  /** The first request continues at the service, but the client loses its response. */
  const losing: typeof fetch = async (...request) => {
    const response = fetch(...request)
    if (statuses.length === 0) {
      statuses.push("lost")
      throw new TypeError("the connection was lost")
    }
    statuses.push((await response).status)
    return response
  }
  const client = createClient({ baseUrl: inject("stackUrl"), apiKey: key.secret, fetch: losing })
  expect(await client.call("validateByBody", { email: "nobody@tarpit.test" })).toMatchObject({ status: "invalid" })
  expect(statuses.slice(0, 2)).toEqual(["lost", 409])
  expect(statuses.at(-1)).toBe(200)
  expect(await usedCredits(key)).toBe(1)
})
