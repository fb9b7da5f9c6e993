import { readFileSync } from "node:fs"
import { sql } from "drizzle-orm"
import Libsql from "libsql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import journal from "../../schema/migrations/meta/_journal.json" with { type: "json" }
import type { Tier } from "../../schema/vocabulary.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createBillingStore } from "../../src/adapters/store/accounts/billing.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createSessionStore } from "../../src/adapters/store/accounts/sessions.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAuditStore } from "../../src/adapters/store/compliance/audit.ts"
import { grantPlan } from "../../src/services/accounts/payments.ts"
import { receiveBillingEvent } from "../../src/services/accounts/receive-billing-event.ts"
import { openAccount } from "../../src/services/admin/accounts.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** A new account with a key, and what changes its plan. */
async function newAccount(name: string, tier: Tier = "free") {
  const database = server.open()
  const [keys, operator] = [createKeyStore(database), createOperatorStore(database)]
  const audit = createAuditStore(database, systemClock)
  const invalidated: string[] = []
  const ctx = testContext({
    clock: systemClock,
    store: { audit, keys, operator, billing: createBillingStore(database) },
    keyLimiters: { ofKey: (digest: string) => ({ invalidate: async () => void invalidated.push(digest) }) },
    payments: { prices: {}, readEvent: async (body: string) => ({ kind: "event", event: JSON.parse(body) }) },
  })
  const accountId = `acc_${name}`
  const key = { keyId: `kid_${name}`, digest: name, pepperId: "p", accountId, ownerEmail: "a@b.test", name: "" }
  await keys.create({ ...key, createdAt: 1, last4: "abcd", network: null, createdBy: null, tier })
  let created = 0
  return {
    ...{ accountId, audit, ctx, invalidated },
    sendEvent(id: string, status: string, { product = "pro", within = ctx } = {}) {
      const metadata = { account_id: accountId, product }
      const object = { id: `${id}_${name}`, customer: `cus_${name}`, status, metadata, items: { data: [] } }
      const event = { id: `${id} ${name} ${created}`, type: "customer.subscription.updated", created, data: { object } }
      created++
      return receiveBillingEvent(within, { body: JSON.stringify(event), signature: "" })
    },
    grant: (tier: Tier) => grantPlan(ctx, { accountId, tier }),
    /** The plan of the account and of its key. */
    async plans() {
      const [key] = await keys.list(accountId, "2026-11")
      return [(await operator.account(accountId))?.tier, key?.tier]
    },
  }
}

test("a canceled subscription does not remove the plan of a concurrent new one, in any order of writes", async () => {
  const { audit, ctx, plans, sendEvent } = await newAccount("concurrent")
  await sendEvent("sub_1", "active")
  let isFirst = true
  // The first event has read that no subscription is left, and has not written yet.
  const append: typeof audit.append = async (entry) => {
    if (isFirst) await sendEvent("sub_2", "active")
    isFirst = false
    return audit.append(entry)
  }
  const within = { ...ctx, store: { ...ctx.store, audit: { ...audit, append } } }
  await sendEvent("sub_1", "canceled", { within })
  expect(isFirst).toBe(false)
  expect(await plans()).toEqual(["pro", "pro"])
})

describe("the operator's plan", () => {
  test("is kept apart from the paid one: the higher one counts, and each ends alone", async () => {
    const { grant, plans, sendEvent } = await newAccount("apart")
    expect(await grant("enterprise")).toMatchObject({ inForce: "enterprise", updatedKeys: 1, keys: 1 })
    await sendEvent("sub", "active", { product: "starter" })
    expect(await plans()).toEqual(["enterprise", "enterprise"])
    await sendEvent("sub", "canceled", { product: "starter" })
    expect(await plans()).toEqual(["enterprise", "enterprise"])
    await sendEvent("other", "active", { product: "pro" })
    expect(await grant("free")).toMatchObject({ inForce: "pro", updatedKeys: 1 })
    expect(await plans()).toEqual(["pro", "pro"])
    expect(await grant("starter")).toMatchObject({ inForce: "pro" })
    await sendEvent("other", "canceled", { product: "pro" })
    expect(await plans()).toEqual(["starter", "starter"])
    await grant("free")
    expect(await plans()).toEqual(["free", "free"])
  })

  test("and a concurrent payment both count, and the key's limiter is invalidated", async () => {
    const { grant, invalidated, plans, sendEvent } = await newAccount("both")
    await Promise.all([grant("starter"), sendEvent("sub", "active")])
    expect(await plans()).toEqual(["pro", "pro"])
    expect(invalidated).toContain("both")
    await sendEvent("sub", "canceled")
    expect(await plans()).toEqual(["starter", "starter"])
  })

  test("of a key is not lowered by a payment for a lesser plan, nor by its end", async () => {
    const { grant, plans, sendEvent } = await newAccount("key", "pro")
    await sendEvent("sub", "active", { product: "starter" })
    expect(await plans()).toEqual(["starter", "pro"])
    await sendEvent("sub", "canceled", { product: "starter" })
    expect(await plans()).toEqual(["free", "pro"])
    await grant("free")
    expect(await plans()).toEqual(["free", "free"])
  })

  test("is the better one of two accounts that join", async () => {
    const [from, to] = [await newAccount("from"), await newAccount("to")]
    await server.open().run(sql`UPDATE accounts SET email = 'owner@inbox.test' WHERE account_id = ${to.accountId}`)
    await from.grant("starter")
    await to.sendEvent("sub", "active")
    await createKeyStore(server.open()).adopt({ from: from.accountId, to: to.accountId, now: 1 })
    expect((await to.plans())[0]).toBe("pro")
    await to.sendEvent("sub", "canceled")
    expect((await to.plans())[0]).toBe("starter")
  })
})

test("an upgrade stores what an account has beyond its running subscriptions as the operator's plan", () => {
  const database = new Libsql(":memory:")
  const [first, ...later] = journal.entries.map(({ tag }) =>
    readFileSync(new URL(`../../schema/migrations/${tag}.sql`, import.meta.url), "utf8"),
  )
  database.exec(first!)
  database.exec(`INSERT INTO accounts (account_id, tier, created_at) VALUES
      ('free', 'free', 1), ('given', 'pro', 1), ('paid', 'pro', 1), ('above', 'enterprise', 1), ('ended', 'starter', 1);
    INSERT INTO billing_customers (customer_id, account_id) VALUES ('p', 'paid'), ('a', 'above'), ('e', 'ended');
    INSERT INTO subscriptions (subscription_id, customer_id, status, tier, told_at) VALUES
      ('1', 'p', 'past_due', 'pro', 1), ('2', 'a', 'active', 'starter', 1), ('3', 'e', 'canceled', 'starter', 1)`)
  for (const migration of later) database.exec(migration)
  const rows = database.prepare("SELECT account_id AS id, granted_tier AS tier FROM accounts").all()
  expect(Object.fromEntries((rows as { id: string; tier: string | null }[]).map(({ id, tier }) => [id, tier]))).toEqual(
    {
      ...{ free: null, given: "pro", paid: null, above: "enterprise", ended: "starter" },
    },
  )
  database.close()
})

test("an account that the operator opens has its plan with it, so no failure leaves one without", async () => {
  const database = server.open()
  const refuse = "CREATE TRIGGER no_changes BEFORE UPDATE ON accounts BEGIN SELECT RAISE(FAIL, 'the disk is full'); END"
  await database.run(sql.raw(refuse))
  const operator = createOperatorStore(database)
  const ctx = testContext({
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    store: { operator, sessions: createSessionStore(database, systemClock) },
  })
  try {
    for (const tier of ["unlimited", "free"] as const) {
      const accountId = await openAccount(ctx, { email: `${tier}@opened.test`, tier })
      const grantedTier = tier === "free" ? null : tier
      expect(await operator.account(accountId)).toMatchObject({ tier, grantedTier })
    }
  } finally {
    await database.run(sql.raw("DROP TRIGGER no_changes"))
  }
})
