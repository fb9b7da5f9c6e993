import { sql } from "drizzle-orm"
import { describe, expect, test } from "vitest"
import type { Context } from "../../src/context.ts"
import { periodOf } from "../../src/domain/accounts/tiers.ts"
import { deleteIntegration, integrationStatus } from "../../src/services/integrations/integrations.ts"
import { runSync, sweepSyncs } from "../../src/services/integrations/run-sync.ts"
import { LEASE_MS } from "../support/deps/integration-deps.ts"
import { integrationStage, people } from "../support/providers/connected-portal.ts"
import { hubspotRateLimit } from "../support/providers/hubspot-server.ts"

const MINUTE = 60_000
const [FINE, BROKEN] = [{ status: 200 }, { status: 502 }]

const { connected, open } = integrationStage()

const syncOf = async (ctx: Context) => (await integrationStatus(ctx, "acc"))[0]?.sync ?? null
const log = async (ctx: Context, integrationId: string) =>
  (await ctx.store.integrations.events(integrationId, { limit: 100, before: null })).map(
    ({ kind, outcome }) => `${kind} ${outcome}`,
  )
const CHARGE = { subject: "acc", limit: null, keyId: null, credits: 100, kind: "job" } as const
const reserve = ({ store }: Context, chargeId: string) =>
  store.charges.reserve({ ...CHARGE, chargeId, period: periodOf(Date.now()) }, Date.now())
const used = (ctx: Context) => ctx.store.charges.usedBy("acc", periodOf(Date.now()))

test("a sync reads every page, writes the results back, and costs as much as the verifications", async () => {
  const { ctx, start, server, integrationId, probed } = await connected({ contacts: people(250) })
  const started = await start()
  expect(await start()).toMatchObject({ syncId: started.syncId, state: "queued" })
  await sweepSyncs(ctx)
  const sync = await syncOf(ctx)
  const counts = { pages: 3, contacts: 250, written: 250, unsafe: 63, undecided: 0, rejected: 0, credits: 250 }
  expect(sync).toMatchObject({ syncId: started.syncId, state: "complete", ...counts })
  expect(server.written.get("100")).toMatchObject({ mailverdict_status: "invalid" })
  expect(server.written.get("101")).toMatchObject({ mailverdict_status: "valid" })
  expect([probed.length, await used(ctx)]).toEqual([250, 250])
  expect(await log(ctx, integrationId)).toEqual([
    ...["sync_completed ok", "page_synced ok", "page_synced ok", "sync_started ok"],
  ])
  const counted = await ctx.store.history.countsSince("acc", "2000-01-01")
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(250)
})

test("cached results are written too, and cost nothing", async () => {
  const { ctx, start, server, probed } = await connected({ contacts: people(40) })
  await start()
  await sweepSyncs(ctx)
  await start()
  await sweepSyncs(ctx)
  expect(await syncOf(ctx)).toMatchObject({ state: "complete", written: 40, credits: 0 })
  expect([probed.length, await used(ctx)]).toEqual([40, 40])
  expect(server.calls.filter((call) => call.endsWith("batch/update"))).toHaveLength(2)
})

test("one mailbox in two contacts is probed and charged once; a temporary failure is not written", async () => {
  const contacts = [
    { id: "1", email: "user1@mailbox.test" },
    { id: "2", email: "user1@MAILBOX.test" },
    { id: "3", email: "late1@mailbox.test" },
    { id: "4", email: "no address" },
  ]
  const { ctx, start, server } = await connected({ contacts })
  await start()
  await sweepSyncs(ctx)
  expect(await syncOf(ctx)).toMatchObject({ contacts: 4, written: 3, undecided: 1, unsafe: 1, credits: 1 })
  expect([...server.written.keys()]).toEqual(["1", "2", "4"])
  expect(server.written.get("4")).toMatchObject({ mailverdict_status: "invalid_syntax" })
})

describe("a Worker that dies", () => {
  test("is replaced when its lease expires, and its later writes change nothing", async () => {
    const { ctx, start, advance } = await connected({ contacts: people(250) })
    await start()
    const now = ctx.clock.now()
    const lost = await ctx.store.integrationSyncs.claim({ now, leaseUntil: now + LEASE_MS })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "running", pages: 0 })
    advance(LEASE_MS + 1)
    const next = await ctx.store.integrationSyncs.claim({
      now: ctx.clock.now(),
      leaseUntil: ctx.clock.now() + LEASE_MS,
    })
    await runSync(ctx, next!, 0)
    expect(await syncOf(ctx)).toMatchObject({ state: "running", pages: 1 })
    await runSync(ctx, lost!, Number.POSITIVE_INFINITY)
    expect(await syncOf(ctx)).toMatchObject({ pages: 1, contacts: 100 })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete", pages: 3, contacts: 250 })
    expect(await used(ctx)).toBe(250)
  })

  test("between verifying and writing back leaves a page that is not charged twice", async () => {
    const faults = [FINE, FINE, FINE, FINE, FINE, BROKEN]
    const { ctx, start, probed, advance, integrationId } = await connected({ contacts: people(50), faults })
    await start()
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "waiting", pages: 0, detail: expect.stringContaining("502") })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "waiting" })
    advance(MINUTE + 1)
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete", written: 50, failures: 0, detail: null })
    expect([probed.length, await used(ctx)]).toEqual([50, 50])
    expect(await log(ctx, integrationId)).toContain("page_synced unreachable")
  })

  test("that cannot write a charge, as on a full disk, leaves no stored result that was not charged", async () => {
    const { ctx, start, advance } = await connected({ contacts: people(50) })
    await start()
    const { charges } = ctx.store
    const full = { ...charges, settle: () => Promise.reject(new Error("disk is full")) }
    await sweepSyncs({ ...ctx, store: { ...ctx.store, charges: full } }).catch(() => undefined)
    expect((await ctx.store.resultLists.findMany(["user1@mailbox.test"])).size).toBe(0)
    advance(LEASE_MS + MINUTE)
    await sweepSyncs(ctx)
    expect(await used(ctx)).toBe(50)
  })
})

test("a renewed lease of a sync lasts longer, and a lost one stays lost", async () => {
  const { ctx, start, integrationId } = await connected({ contacts: people(5) })
  await start()
  const { integrationSyncs } = ctx.store
  const now = ctx.clock.now()
  const claim = (after: number) => integrationSyncs.claim({ now: now + after, leaseUntil: now + after + 15 })
  const first = (await claim(0))!
  await integrationSyncs.renew([first], now + 20)
  expect(await claim(19)).toBeNull()
  const second = await claim(20)
  expect(second).toMatchObject({ integrationId, leaseEpoch: first.leaseEpoch + 1 })
  await integrationSyncs.renew([first], now + 90)
  expect(await claim(35)).toMatchObject({ integrationId })
})

describe("a sync that cannot continue", () => {
  test("stops without enough credits, and continues from there when there are more", async () => {
    const { ctx, start, server, integrationId } = await connected({ contacts: people(250) }, "free")
    await start()
    await sweepSyncs(ctx)
    const stopped = { state: "out_of_credits", pages: 1, credits: 100, detail: expect.stringContaining("100 credits") }
    expect(await syncOf(ctx)).toMatchObject(stopped)
    await sweepSyncs(ctx)
    expect([await used(ctx), (await log(ctx, integrationId))[0]]).toEqual([100, "sync_stopped out_of_credits"])
    const before = server.calls.length
    expect(await start("enterprise")).toMatchObject({ state: "queued", cursor: "100" })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete", pages: 3, contacts: 250, credits: 250 })
    expect(server.calls.slice(before).filter((call) => call === "GET /crm/objects/2026-09/contacts")).toHaveLength(2)
  })

  test("waits as long as the provider requires", async () => {
    const faults = [FINE, FINE, FINE, FINE, hubspotRateLimit("1800")]
    const { ctx, start, advance } = await connected({ contacts: people(5), faults })
    await start()
    await sweepSyncs(ctx)
    const sync = await syncOf(ctx)
    expect(sync).toMatchObject({ state: "waiting", detail: expect.stringContaining("limits the rate of calls") })
    expect(sync!.dueAt - ctx.clock.now()).toBeGreaterThan(29 * MINUTE)
    advance(31 * MINUTE)
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete" })
  })

  test("stops at a refused token, refunds the reservation, and can be started again", async () => {
    const faults = [FINE, FINE, FINE, FINE, FINE, { status: 401, json: { category: "EXPIRED_AUTHENTICATION" } }]
    const { ctx, start, integrationId } = await connected({ contacts: people(50), faults })
    await start()
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "failed", detail: expect.stringContaining("EXPIRED") })
    expect((await log(ctx, integrationId))[0]).toBe("sync_stopped unauthorized")
    expect(await used(ctx)).toBe(50)
    expect(await start("enterprise", true)).toMatchObject({ state: "queued", cursor: null, pages: 0 })
    await expect(start("enterprise", true)).rejects.toMatchObject({ code: "conflict" })
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject({ state: "complete", written: 50, credits: 0 })
  })

  test("fails after hours of failures", async () => {
    const { ctx, start, advance, server, integrationId } = await connected({ contacts: people(5) })
    await server.stop()
    await start()
    for (let n = 0; n < 12; n++) {
      await sweepSyncs(ctx)
      advance(5 * 60 * MINUTE)
    }
    expect(await syncOf(ctx)).toMatchObject({ state: "failed", detail: "HubSpot cannot be reached" })
    const events = await log(ctx, integrationId)
    expect(events.filter((event) => event === "page_synced unreachable")).toHaveLength(8)
    expect(events[0]).toBe("sync_stopped unreachable")
  })
})

test.each([
  ["free", "pro", "kid_1", { state: "complete", credits: 200 }],
  ["enterprise", "free", "kid_1", { state: "out_of_credits", credits: 100 }],
  ["enterprise", "free", null, { state: "out_of_credits", credits: 100 }],
] as const)(
  "a sync started on %s is charged by the current plan %s, with a key or a session (%s)",
  async (then, now, keyId, end) => {
    const { ctx, start } = await connected({ contacts: people(200) })
    await start(then)
    const rows = open()
    await rows.run(sql`INSERT INTO accounts (account_id, tier, created_at) VALUES ('acc', ${now}, 0)`)
    await rows.run(sql`INSERT INTO api_keys (key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at)
    VALUES ('kid_1', 'd', 'p', 'acc', 'o@mailbox.test', 'x', ${now}, 0)`)
    await rows.run(sql`UPDATE integration_syncs SET key_id = ${keyId}`)
    await sweepSyncs(ctx)
    expect(await syncOf(ctx)).toMatchObject(end)
  },
)

test("the sync of a suspended account waits, and continues after it is resumed", async () => {
  const { ctx, start } = await connected({ contacts: people(20) })
  await start()
  const rows = open()
  await rows.run(sql`INSERT INTO accounts (account_id, created_at, suspended_at) VALUES ('acc', 0, 1)`)
  await sweepSyncs(ctx)
  expect(await syncOf(ctx)).toMatchObject({ state: "queued", pages: 0 })
  await rows.run(sql`UPDATE accounts SET suspended_at = NULL`)
  await sweepSyncs(ctx)
  expect(await syncOf(ctx)).toMatchObject({ state: "complete", written: 20 })
})

test("an integration deleted during a sync leaves no rows and no reservation", async () => {
  const { ctx, start, integrationId } = await connected({ contacts: people(250) })
  const sync = await start()
  const now = ctx.clock.now()
  const claimed = await ctx.store.integrationSyncs.claim({ now, leaseUntil: now + LEASE_MS })
  await reserve(ctx, `${sync.syncId}.0.0`)
  const foreign = deleteIntegration(ctx, { integrationId, accountId: "other" })
  await expect(foreign).rejects.toMatchObject({ code: "not_found" })
  const ended = await deleteIntegration(ctx, { integrationId, accountId: "acc" })
  expect(ended).toMatchObject({ syncId: sync.syncId, state: "running" })
  await runSync(ctx, claimed!, Number.POSITIVE_INFINITY)
  const rows = open()
  const left = await rows.all(sql`SELECT 1 FROM integrations UNION ALL SELECT 1 FROM integration_syncs
    UNION ALL SELECT 1 FROM integration_events`)
  expect([left, await used(ctx)]).toEqual([[], 0])
})

test("an integration deleted while a page is probed leaves no result that was not charged", async () => {
  const { ctx, start, integrationId, probed } = await connected({ contacts: people(20) })
  await start()
  const probes: Context["probes"] = {
    ...ctx.probes,
    async probe(question, options) {
      await deleteIntegration(ctx, { integrationId, accountId: "acc" })
      return ctx.probes.probe(question, options)
    },
  }
  await sweepSyncs({ ...ctx, probes })
  expect([probed.length, await used(ctx)]).toEqual([20, 0])
  expect((await ctx.store.resultLists.findMany([...probed])).size).toBe(0)
})

test("a sync started while its integration was deleted ends, and its page costs nothing", async () => {
  const { ctx, integrationId, advance } = await connected({ contacts: people(5) })
  await deleteIntegration(ctx, { integrationId, accountId: "acc" })
  const now = ctx.clock.now()
  const late = { syncId: "syn_late", integrationId, accountId: "acc", provider: "hubspot", keyId: null } as const
  await ctx.store.integrationSyncs.start({ ...late, tier: "free", now })
  await sweepSyncs(ctx)
  advance(LEASE_MS + 1)
  expect(await ctx.store.integrationSyncs.claim({ now: ctx.clock.now(), leaseUntil: ctx.clock.now() })).toBeNull()
  for (const chargeId of ["syn_late.0.0", "syn_gone.0.0"]) await reserve(ctx, chargeId)
  expect(await ctx.store.charges.refundAbandoned({ call: 0, job: now + MINUTE, lease: now + MINUTE })).toBe(1)
  expect(await used(ctx)).toBe(100)
})
