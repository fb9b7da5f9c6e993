import { expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"

test("concurrent calls for one address share one SMTP session, one charge and one answer", async () => {
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
})

test("a refused call does not delay the next one, which need not wait for a lease to end", async () => {
  const [poor, other] = [await newKey("free"), await newKey()]
  const validate = (key: TestKey, email: string) =>
    call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
  const first = await Promise.all(Array.from({ length: 10 }, (_, n) => validate(poor, `poor${n}@mailbox.test`)))
  expect(first.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect((await validate(poor, "alice+poor@mailbox.test")).status).toBe(429)
  expect(await validate(other, "alice+poor@mailbox.test")).toMatchObject({ status: 200, body: { status: "valid" } })
})
