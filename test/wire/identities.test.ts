import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/adapters/platform.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const of = (subject: string, email: string, isHosted: boolean) =>
  createSessionStore(server.open(), systemClock).emailOfIdentity({
    ...{ provider: "google", subject, email, isHosted },
    newAccountId: `acc_${subject}`,
  })

test("an identity belongs to its first account, whatever its address is later", async () => {
  expect(await of("1", "person@gmail.com", true)).toBe("person@gmail.com")
  expect(await of("1", "person@company.test", false)).toBe("person@gmail.com")
})

test("a mailbox that the provider does not host opens no account, neither a new one nor its owner's", async () => {
  const sessions = createSessionStore(server.open(), systemClock)
  const { accountId } = await sessions.accountOf("owner@company.test", "acc_owner")
  expect(await of("2", "owner@company.test", false)).toBeNull()
  expect(await of("3", "nobody-yet@company.test", false)).toBeNull()
  expect(await sessions.accountOf("owner@company.test", "acc_other")).toMatchObject({ accountId })
  expect(await sessions.accountOf("nobody-yet@company.test", "acc_first")).toMatchObject({ accountId: "acc_first" })
  expect(await of("4", "owner@company.test", true)).toBe("owner@company.test")
})
