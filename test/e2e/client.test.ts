import { expect, inject, test } from "vitest"
import { createClient } from "../../src/client/client.ts"
import { newKey, usedCredits } from "../support/account.ts"

test("an answer whose connection was lost is fetched when it is there, and paid once", async () => {
  const key = await newKey()
  const statuses: (number | "lost")[] = []
  /** The first request goes on at the service, but its caller hears no more of it. */
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
}, 40_000)
