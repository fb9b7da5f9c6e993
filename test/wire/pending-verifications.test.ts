import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  createPendingStore,
  type NewPending,
  type PendingStore,
} from "../../src/adapters/store/verification/pending.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let pending: PendingStore

beforeAll(async () => {
  database = await startDatabase()
  pending = createPendingStore(database.open())
})
afterAll(() => database.stop())

const NOW = 1_000_000
const row = (verificationId: string): NewPending => ({
  verificationId,
  accountId: null,
  keyId: null,
  email: "alice@mailbox.test",
  state: "queued",
  webhookUrl: "",
  chargeId: null,
  createdAt: NOW,
  completedAt: null,
})

describe("pending verifications", () => {
  test("an id is added once", async () => {
    await pending.add(row("ver_once"))
    await pending.add({ ...row("ver_once"), email: "other@mailbox.test" })
    expect(await pending.find("ver_once")).toMatchObject({ email: "alice@mailbox.test", attempts: 0, evidence: null })
  })

  test("of concurrent claims one succeeds, until its lease ends", async () => {
    await pending.add(row("ver_claim"))
    const claim = (now: number) => pending.claim("ver_claim", { now, until: now + 100 })
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(NOW)))
    expect(claims.filter((claimed) => claimed !== null)).toMatchObject([{ state: "running", attempts: 1 }])
    expect(await claim(NOW + 99)).toBeNull()
    expect(await claim(NOW + 100)).toMatchObject({ attempts: 2 })
  })

  test("a renewed lease lasts longer, and a lost one stays lost", async () => {
    await pending.add(row("ver_renewed"))
    const claim = (after: number) => pending.claim("ver_renewed", { now: NOW + after, until: NOW + after + 15 })
    const first = (await claim(0))!
    await pending.renew(first, NOW + 20)
    expect(await claim(19)).toBeNull()
    expect(await claim(20)).toMatchObject({ attempts: 2 })
    await pending.renew(first, NOW + 90)
    expect(await claim(35)).toMatchObject({ attempts: 3 })
  })

  test("ends once, and then cannot be claimed", async () => {
    await pending.add(row("ver_end"))
    const end = () => pending.finish("ver_end", { state: "complete", evidence: null, now: NOW + 5 })
    expect(await Promise.all([end(), end()])).toEqual(expect.arrayContaining([true, false]))
    expect(await pending.claim("ver_end", { now: NOW + 1e9, until: NOW + 2e9 })).toBeNull()
    expect(await pending.find("ver_end")).toMatchObject({ state: "complete", completedAt: NOW + 5 })
  })

  test("abandoned ones are found: unclaimed after the grace period, claimed after the lease", async () => {
    await pending.deleteBefore(NOW + 1)
    await pending.add(row("ver_new"))
    await pending.add(row("ver_running"))
    await pending.claim("ver_running", { now: NOW, until: NOW + 60_000 })
    expect(await pending.abandoned(NOW + 9_000, 10)).toEqual([])
    expect(await pending.abandoned(NOW + 10_000, 10)).toEqual(["ver_new"])
    expect(await pending.abandoned(NOW + 60_000, 10)).toHaveLength(2)
    expect(await pending.abandoned(NOW + 60_000, 1)).toHaveLength(1)
  })

  test("are deleted at the end", async () => {
    await pending.deleteBefore(NOW + 1)
    expect(await pending.find("ver_new")).toBeNull()
  })
})
