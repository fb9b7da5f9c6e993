import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { Context } from "../../src/context.ts"
import { openConnection, resealFormer, sealCredentials } from "../../src/services/integrations/connection.ts"
import { createIntegration, integrationStatus, testConnection } from "../../src/services/integrations/integrations.ts"
import { startSync, sweepSyncs } from "../../src/services/integrations/run-sync.ts"
import { integrationDeps, memberOf, PEPPER } from "../support/deps/integration-deps.ts"
import { filesIn } from "../support/deps/stored-bytes.ts"
import { integrationStage, people, TOKEN } from "../support/providers/connected-portal.ts"
import { SALESFORCE_APP, startSalesforce } from "../support/providers/salesforce-server.ts"

const NEXT_PEPPER = "the second pepper, of 32 letters or more"

const { connected, folder, open, servers } = integrationStage()

const syncOf = async (ctx: Context) => (await integrationStatus(ctx, "acc"))[0]?.sync ?? null

test("credentials are in no file of the database", async () => {
  const { ctx, start } = await connected({ contacts: people(5) })
  await start()
  await sweepSyncs(ctx)
  expect(await syncOf(ctx)).toMatchObject({ state: "complete" })
  const files = filesIn(folder()).map((file) => readFileSync(file))
  const holds = (text: string) => files.some((bytes) => bytes.includes(text))
  // Plain text is found, so the search works.
  expect([holds("mailverdict_status"), holds(TOKEN), holds("secret-token")]).toEqual([true, false, false])
})

test("credentials are sealed again under a new pepper, and then need only that one", async () => {
  const { ctx, integrationId, withPeppers } = await connected({ contacts: people(5) })
  const subject = { accountId: "acc", subject: { integrationId } }
  await expect(testConnection(await withPeppers([NEXT_PEPPER]), subject)).rejects.toMatchObject({
    code: "bad_request",
  })
  const rotating = await withPeppers([NEXT_PEPPER, PEPPER])
  const before = await ctx.store.integrations.find(integrationId, "acc")
  await resealFormer(rotating)
  const after = await ctx.store.integrations.find(integrationId, "acc")
  expect(after!.sealKeyId).toBe(rotating.sealer.keyId)
  expect(after!.sealKeyId).not.toBe(before!.sealKeyId)
  expect(await testConnection(await withPeppers([NEXT_PEPPER]), subject)).toMatchObject({ account: "portal 4711" })
})

test("credentials changed while they are sealed again keep the change", async () => {
  const { ctx, integrationId, withPeppers } = await connected({ contacts: [] })
  const own = (await ctx.store.integrations.find(integrationId, "acc"))!
  const newer = await sealCredentials(ctx, integrationId, { credentials: { access_token: "newer" } })
  await ctx.store.integrations.reseal(integrationId, newer, null)
  await openConnection(await withPeppers([NEXT_PEPPER, PEPPER]), own)
  expect(await ctx.store.integrations.find(integrationId, "acc")).toMatchObject(newer)
})

test("credentials of one integration cannot be opened for another", async () => {
  const { ctx, integrationId } = await connected({ contacts: [] })
  const own = (await ctx.store.integrations.find(integrationId, "acc"))!
  await ctx.store.integrations.add({ ...own, integrationId: "int_other" }, 50)
  const subject = { accountId: "acc", subject: { integrationId: "int_other" } }
  await expect(testConnection(ctx, subject)).rejects.toMatchObject({ code: "bad_request" })
})

test("credentials that Salesforce replaces are stored", async () => {
  const contacts = Array.from({ length: 5 }, (_, n) => ({ Id: `00300000000000${n}`, Email: `user${n}@mailbox.test` }))
  const server = await startSalesforce({ contacts, refreshToken: "5Aep-first", rotates: true })
  servers.push(server)
  const { ctx } = await integrationDeps(open, { salesforceLoginUrl: server.url })
  const settings = { object: "Contact", status_field: "Mailverdict_Status__c", score_field: "Mailverdict_Score__c" }
  const credentials = { ...SALESFORCE_APP, refresh_token: "5Aep-first" }
  const connection = { provider: "salesforce", credentials, settings } as const
  await createIntegration(ctx, {
    ...{ accountId: "acc", name: "crm", verify: true },
    connection: connection as Parameters<typeof createIntegration>[1]["connection"],
  })
  for (let n = 0; n < 2; n++) {
    const caller = memberOf("acc")
    await startSync(ctx, { caller, provider: "salesforce", integrationId: null, restart: false })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete", written: 5 })
  }
  expect(server.refreshTokens).toHaveLength(4)
})
