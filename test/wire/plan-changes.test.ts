import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/adapters/platform.ts"
import { createAuditStore } from "../../src/adapters/store/audit.ts"
import { createBillingStore } from "../../src/adapters/store/billing.ts"
import { createKeyStore } from "../../src/adapters/store/keys.ts"
import { createOperatorStore } from "../../src/adapters/store/operator.ts"
import type { Deps } from "../../src/deps.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { startDatabase } from "../support/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("a subscription that ends while another begins takes no plan away, whoever writes last", async () => {
  const database = server.open()
  const [keys, audit, operator] = [
    createKeyStore(database),
    createAuditStore(database, systemClock),
    createOperatorStore(database),
  ]
  const needs = {
    ...{ audit, keys, operator, billing: createBillingStore(database), clock: systemClock },
    gates: { ofKey: () => ({ forget: async () => undefined }) },
    payments: { prices: {}, readEvent: async (body: string) => JSON.parse(body) },
  } as unknown as Deps
  const tell = (id: string, status: string, within = needs) => {
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
  }
  await keys.create({ ...key, tier: "free" })
  await tell("sub_1", "active")
  let isFirst = true
  // It has seen by now that no subscription is left, and has not written so yet.
  const append: typeof audit.append = async (entry) => {
    if (isFirst) await tell("sub_2", "active")
    isFirst = false
    return audit.append(entry)
  }
  await tell("sub_1", "canceled", { ...needs, audit: { ...audit, append } })
  expect(isFirst).toBe(false)
  expect((await operator.account("acc"))?.tier).toBe("pro")
})
