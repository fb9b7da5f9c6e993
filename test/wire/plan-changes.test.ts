import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/accounts/operator.ts"
import { createAuditStore } from "../../src/adapters/store/compliance/audit.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("a canceled subscription does not remove the plan of a concurrent new one, in any order of writes", async () => {
  const database = server.open()
  const [keys, audit, operator] = [
    createKeyStore(database),
    createAuditStore(database, systemClock),
    createOperatorStore(database),
  ]
  const ctx = testContext({
    clock: systemClock,
    store: { audit, keys, operator, billing: createBillingStore(database) },
    keyLimiters: { ofKey: () => ({ invalidate: async () => undefined }) },
    payments: { prices: {}, readEvent: async (body: string) => ({ kind: "event", event: JSON.parse(body) }) },
  })
  const sendEvent = (id: string, status: string, within = ctx) => {
    const object = { id, customer: "cus", status, metadata: { account_id: "acc", product: "pro" }, items: { data: [] } }
    const event = { id: `${id} ${status}`, type: "customer.subscription.updated", created: 1, data: { object } }
    return receiveBillingEvent(within, { body: JSON.stringify(event), signature: "" })
  }
  const key = {
    keyId: "kid",
    digest: "d",
    pepperId: "p",
    accountId: "acc",
    ownerEmail: "a@b.test",
    name: "",
    createdAt: 1,
    last4: "abcd",
    network: null,
    createdBy: null,
  }
  await keys.create({ ...key, tier: "free" })
  await sendEvent("sub_1", "active")
  let isFirst = true
  // The first event has read that no subscription is left, and has not written yet.
  const append: typeof audit.append = async (entry) => {
    if (isFirst) await sendEvent("sub_2", "active")
    isFirst = false
    return audit.append(entry)
  }
  await sendEvent("sub_1", "canceled", { ...ctx, store: { ...ctx.store, audit: { ...audit, append } } })
  expect(isFirst).toBe(false)
  expect((await operator.account("acc"))?.tier).toBe("pro")
})
