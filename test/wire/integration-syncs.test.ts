import { sql } from "drizzle-orm"
import { describe, expect, test } from "vitest"
import { type Deps, replacing } from "../../src/deps.ts"
import { periodOf } from "../../src/domain/plans/tiers.ts"
import { deleteIntegration } from "../../src/services/integrations/delete-integration.ts"
import { integrationStatus } from "../../src/services/integrations/list-integrations.ts"
import { runSync } from "../../src/services/integrations/run-sync.ts"
import { sweepSyncs } from "../../src/services/integrations/sweep-syncs.ts"
import { integrationStage, people } from "../support/connected-portal.ts"
import { HUBSPOT_LIMITED } from "../support/hubspot-server.ts"
import { LEASE_MS } from "../support/integration-needs.ts"

const MINUTE = 60_000
const [FINE, BROKEN] = [{ status: 200 }, { status: 502 }]

const { connected, open } = integrationStage()

const syncOf = async (needs: Deps) => (await integrationStatus(needs, "acc"))[0]?.sync ?? null
const log = async (needs: Deps, integrationId: string) =>
  (await needs.integrations.events(integrationId, { limit: 100, before: null })).map(
    ({ kind, outcome }) => `${kind} ${outcome}`,
  )
const CHARGE = { subject: "acc", limit: null, keyId: null, credits: 100, kind: "job" } as const
const reserve = ({ charges }: Deps, chargeId: string) =>
  charges.reserve({ ...CHARGE, chargeId, period: periodOf(Date.now()) }, Date.now())
const used = (needs: Deps) => needs.charges.usedBy("acc", periodOf(Date.now()))

test("a walk reads every page, writes what was found back, and costs what verifications cost", async () => {
  const { needs, start, server, integrationId, asked } = await connected({ contacts: people(250) })
  const started = await start()
  expect(await start()).toMatchObject({ syncId: started.syncId, state: "queued" })
  await sweepSyncs(needs)
  const sync = await syncOf(needs)
  const counts = { pages: 3, contacts: 250, written: 250, unsafe: 63, undecided: 0, rejected: 0, credits: 250 }
  expect(sync).toMatchObject({ syncId: started.syncId, state: "complete", ...counts })
  expect(server.written.get("100")).toMatchObject({ mailverdict_status: "invalid" })
  expect(server.written.get("101")).toMatchObject({ mailverdict_status: "valid" })
  expect([asked.length, await used(needs)]).toEqual([250, 250])
  expect(await log(needs, integrationId)).toEqual([
    ...["sync_completed ok", "page_synced ok", "page_synced ok", "sync_started ok"],
  ])
  const counted = await needs.history.countsSince("acc", "2000-01-01")
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(250)
})

test("what the store knows is written too, and costs nothing", async () => {
  const { needs, start, server, asked } = await connected({ contacts: people(40) })
  await start()
  await sweepSyncs(needs)
  await start()
  await sweepSyncs(needs)
  expect(await syncOf(needs)).toMatchObject({ state: "complete", written: 40, credits: 0 })
  expect([asked.length, await used(needs)]).toEqual([40, 40])
  expect(server.calls.filter((call) => call.endsWith("batch/update"))).toHaveLength(2)
})

test("one mailbox in two contacts is asked and paid for once; a moment's trouble is not written", async () => {
  const contacts = [
    { id: "1", email: "user1@mailbox.test" },
    { id: "2", email: "user1@MAILBOX.test" },
    { id: "3", email: "late1@mailbox.test" },
    { id: "4", email: "no address" },
  ]
  const { needs, start, server } = await connected({ contacts })
  await start()
  await sweepSyncs(needs)
  expect(await syncOf(needs)).toMatchObject({ contacts: 4, written: 3, undecided: 1, unsafe: 1, credits: 1 })
  expect([...server.written.keys()]).toEqual(["1", "2", "4"])
  expect(server.written.get("4")).toMatchObject({ mailverdict_status: "invalid_syntax" })
})

describe("a Worker that dies", () => {
  test("is followed by another when its lease ends; what it still does changes nothing", async () => {
    const { needs, start, pass } = await connected({ contacts: people(250) })
    await start()
    const now = needs.clock.now()
    const lost = await needs.integrationSyncs.claim({ now, leaseUntil: now + LEASE_MS })
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "running", pages: 0 })
    pass(LEASE_MS + 1)
    const next = await needs.integrationSyncs.claim({
      now: needs.clock.now(),
      leaseUntil: needs.clock.now() + LEASE_MS,
    })
    await runSync(needs, next!, 0)
    expect(await syncOf(needs)).toMatchObject({ state: "running", pages: 1 })
    await runSync(needs, lost!, Number.POSITIVE_INFINITY)
    expect(await syncOf(needs)).toMatchObject({ pages: 1, contacts: 100 })
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "complete", pages: 3, contacts: 250 })
    expect(await used(needs)).toBe(250)
  })

  test("between verifying and writing back leaves a page that is not paid for twice", async () => {
    const faults = [FINE, FINE, FINE, FINE, FINE, BROKEN]
    const { needs, start, asked, pass, integrationId } = await connected({ contacts: people(50), faults })
    await start()
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "waiting", pages: 0, detail: expect.stringContaining("502") })
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "waiting" })
    pass(MINUTE + 1)
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "complete", written: 50, failures: 0, detail: null })
    expect([asked.length, await used(needs)]).toEqual([50, 50])
    expect(await log(needs, integrationId)).toContain("page_synced unreachable")
  })

  test("a charge that cannot be written, as on a full disk, leaves nothing known that was not paid for", async () => {
    const { needs, start, pass } = await connected({ contacts: people(50) })
    await start()
    const { charges } = needs
    const full = { ...charges, settle: () => Promise.reject(new Error("disk is full")) }
    await sweepSyncs(replacing(needs, { charges: full })).catch(() => undefined)
    expect((await needs.resultLists.among(["user1@mailbox.test"])).size).toBe(0)
    pass(LEASE_MS + MINUTE)
    await sweepSyncs(needs)
    expect(await used(needs)).toBe(50)
  })
})

describe("a walk that cannot go on", () => {
  test("stops when the credits do not suffice, and goes on from there when there are more", async () => {
    const { needs, start, server, integrationId } = await connected({ contacts: people(250) }, "free")
    await start()
    await sweepSyncs(needs)
    const stopped = { state: "out_of_credits", pages: 1, credits: 100, detail: expect.stringContaining("100 credits") }
    expect(await syncOf(needs)).toMatchObject(stopped)
    await sweepSyncs(needs)
    expect([await used(needs), (await log(needs, integrationId))[0]]).toEqual([100, "sync_stopped out_of_credits"])
    const before = server.calls.length
    expect(await start("enterprise")).toMatchObject({ state: "queued", cursor: "100" })
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "complete", pages: 3, contacts: 250, credits: 250 })
    expect(server.calls.slice(before).filter((call) => call === "GET /crm/objects/2026-09/contacts")).toHaveLength(2)
  })

  test("waits as long as the provider asks", async () => {
    const faults = [FINE, FINE, FINE, FINE, HUBSPOT_LIMITED("1800")]
    const { needs, start, pass } = await connected({ contacts: people(5), faults })
    await start()
    await sweepSyncs(needs)
    const sync = await syncOf(needs)
    expect(sync).toMatchObject({ state: "waiting", detail: expect.stringContaining("less often") })
    expect(sync!.dueAt - needs.clock.now()).toBeGreaterThan(29 * MINUTE)
    pass(31 * MINUTE)
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "complete" })
  })

  test("stops at a refused token, gives back what was reserved, and may be started anew", async () => {
    const faults = [FINE, FINE, FINE, FINE, FINE, { status: 401, json: { category: "EXPIRED_AUTHENTICATION" } }]
    const { needs, start, integrationId } = await connected({ contacts: people(50), faults })
    await start()
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "failed", detail: expect.stringContaining("EXPIRED") })
    expect((await log(needs, integrationId))[0]).toBe("sync_stopped unauthorized")
    expect(await used(needs)).toBe(50)
    expect(await start("enterprise", true)).toMatchObject({ state: "queued", cursor: null, pages: 0 })
    await expect(start("enterprise", true)).rejects.toMatchObject({ code: "conflict" })
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject({ state: "complete", written: 50, credits: 0 })
  })

  test("is given up after failing for hours", async () => {
    const { needs, start, pass, server, integrationId } = await connected({ contacts: people(5) })
    await server.stop()
    await start()
    for (let n = 0; n < 12; n++) {
      await sweepSyncs(needs)
      pass(5 * 60 * MINUTE)
    }
    expect(await syncOf(needs)).toMatchObject({ state: "failed", detail: "HubSpot cannot be reached" })
    const events = await log(needs, integrationId)
    expect(events.filter((event) => event === "page_synced unreachable")).toHaveLength(8)
    expect(events[0]).toBe("sync_stopped unreachable")
  })
})

test.each([
  ["free", "pro", "kid_1", { state: "complete", credits: 200 }],
  ["enterprise", "free", "kid_1", { state: "out_of_credits", credits: 100 }],
  ["enterprise", "free", null, { state: "out_of_credits", credits: 100 }],
] as const)(
  "who started as %s and is %s by now pays by that, by key or session (%s)",
  async (then, now, keyId, end) => {
    const { needs, start } = await connected({ contacts: people(200) })
    await start(then)
    const rows = open()
    await rows.run(sql`INSERT INTO accounts (account_id, tier, created_at) VALUES ('acc', ${now}, 0)`)
    await rows.run(sql`INSERT INTO api_keys (key_id, digest, pepper_id, account_id, owner_email, name, tier, created_at)
    VALUES ('kid_1', 'd', 'p', 'acc', 'o@mailbox.test', 'x', ${now}, 0)`)
    await rows.run(sql`UPDATE integration_syncs SET key_id = ${keyId}`)
    await sweepSyncs(needs)
    expect(await syncOf(needs)).toMatchObject(end)
  },
)

test("an integration that is deleted under way leaves nothing, and no credits behind", async () => {
  const { needs, start, integrationId } = await connected({ contacts: people(250) })
  const sync = await start()
  const now = needs.clock.now()
  const claimed = await needs.integrationSyncs.claim({ now, leaseUntil: now + LEASE_MS })
  await reserve(needs, `${sync.syncId}.0.0`)
  const foreign = deleteIntegration(needs, { integrationId, accountId: "other" })
  await expect(foreign).rejects.toMatchObject({ code: "not_found" })
  await deleteIntegration(needs, { integrationId, accountId: "acc" })
  await runSync(needs, claimed!, Number.POSITIVE_INFINITY)
  const rows = open()
  const left = await rows.all(sql`SELECT 1 FROM integrations UNION ALL SELECT 1 FROM integration_syncs
    UNION ALL SELECT 1 FROM integration_events`)
  expect([left, await used(needs)]).toEqual([[], 0])
})

test("an integration that is deleted while a page is asked about leaves nobody results that were not paid for", async () => {
  const { needs, start, integrationId, asked } = await connected({ contacts: people(20) })
  await start()
  const probes: Deps["probes"] = {
    ...needs.probes,
    forAccount: () => probes,
    async ask(question) {
      await deleteIntegration(needs, { integrationId, accountId: "acc" })
      return needs.probes.ask(question)
    },
  }
  await sweepSyncs({ ...needs, probes })
  expect([asked.length, await used(needs)]).toEqual([20, 0])
  expect((await needs.resultLists.among([...asked])).size).toBe(0)
})

test("a sync started while its integration was being deleted ends, and its page costs nothing", async () => {
  const { needs, integrationId, pass } = await connected({ contacts: people(5) })
  await deleteIntegration(needs, { integrationId, accountId: "acc" })
  const now = needs.clock.now()
  const late = { syncId: "syn_late", integrationId, accountId: "acc", provider: "hubspot", keyId: null } as const
  await needs.integrationSyncs.start({ ...late, tier: "free", now })
  await sweepSyncs(needs)
  pass(LEASE_MS + 1)
  expect(await needs.integrationSyncs.claim({ now: needs.clock.now(), leaseUntil: needs.clock.now() })).toBeNull()
  for (const chargeId of ["syn_late.0.0", "syn_gone.0.0"]) await reserve(needs, chargeId)
  expect(await needs.charges.refundAbandoned({ call: 0, job: now + MINUTE })).toBe(1)
  expect(await used(needs)).toBe(100)
})
