import { expect, inject, test } from "vitest"
import { newKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"

interface Answer {
  readonly checks: { status: string; next_check_at: string | null; cached: boolean }
}

test("a greylisted address is probed again from the same source, and its result becomes final by itself", async () => {
  const key = await newKey()
  const email = "bob@greylist.test"
  const read = async () =>
    (await call<Answer>("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))).body
  const askedAt = Date.now()
  const first = await read()
  expect(first.checks).toMatchObject({ status: "unknown", cached: false })
  expect(Date.parse(first.checks.next_check_at ?? "")).toBeGreaterThanOrEqual(askedAt)

  await expect.poll(async () => (await read()).checks.status, { interval: 500 }).toBe("valid")
  expect((await read()).checks).toMatchObject({ cached: true, next_check_at: null })

  const log = (await (await fetch(new URL("/sandbox/log", inject("sandbox").dohUrl))).json()) as {
    connections: { host: string; client: string; commands: string[] }[]
  }
  const visits = log.connections.filter(({ commands }) => commands.some((line) => line.includes(email)))
  expect(visits.length).toBeGreaterThanOrEqual(2)
  expect(new Set(visits.map(({ client }) => client.split(":")[0])).size).toBe(1)
})
