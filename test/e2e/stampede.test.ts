import { expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/account.ts"
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

test("who is refused holds up nobody: the next one is answered, and need not wait until a lease ends", async () => {
  const [poor, other] = [await newKey("free"), await newKey()]
  const ask = (key: TestKey, email: string) =>
    call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
  const first = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(poor, `poor${n}@mailbox.test`)))
  expect(first.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect((await ask(poor, "alice+poor@mailbox.test")).status).toBe(429)
  expect(await ask(other, "alice+poor@mailbox.test")).toMatchObject({ status: 200, body: { status: "valid" } })
})
