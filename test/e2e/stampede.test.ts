import { expect, inject, test } from "vitest"
import { newKey, withKey } from "../support/account.ts"
import { call } from "../support/api.ts"

test("many calls for one address at once make one conversation, one charge and one answer", async () => {
  const key = await newKey()
  const email = "dave@tarpit.test"
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      call("GET", "/validate/checks", withKey(key, { at: `/validate/checks?email=${email}` })),
    ),
  )
  const checks = answers.map(({ body }) => body.checks as { status: string; cached: boolean; verified_at: string })
  expect(new Set(checks.map(({ status, verified_at }) => `${status} ${verified_at}`)).size).toBe(1)
  expect(checks.filter(({ cached }) => !cached)).toHaveLength(1)
  expect((await call("GET", "/usage", withKey(key))).body).toMatchObject({ credits_used: 1 })

  const log = (await (await fetch(new URL("/sandbox/log", inject("sandbox").dohUrl))).json()) as {
    connections: { commands: string[] }[]
  }
  expect(log.connections.filter(({ commands }) => commands.some((line) => line.includes(email)))).toHaveLength(1)
}, 30_000)
