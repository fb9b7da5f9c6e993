import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { NodeLine } from "../../src/adapters/fleet/dispatch.ts"
import { systemClock } from "../../src/adapters/platform.ts"
import { createHistoryStore } from "../../src/adapters/store/accounts/history.ts"
import { bytesOfWrite, createAnswerWriteStore } from "../../src/adapters/store/verification/answer-writes.ts"
import { createResultStore } from "../../src/adapters/store/verification/results.ts"
import { createWriteBehind, newWriteBehindMemory } from "../../src/adapters/verification/write-behind.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { ALL_CHECKS } from "../../src/domain/verification/plan.ts"
import { verifyForCaller } from "../../src/services/verification/verify.ts"

import { testContext, testMeter } from "../support/deps/context.ts"
import { mailbox, nodeLine, rcpt } from "../support/deps/evidence.ts"
import { dnsZone } from "../support/mail/dns-zone.ts"
import { startDatabase } from "../support/stack/database.ts"

const ACCOUNT = "acc_trips"
let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
  await server.open().run(sql`INSERT INTO accounts (account_id, created_at) VALUES (${ACCOUNT}, 1)`)
})
afterAll(() => server.stop())

/** A service whose writes reach the database only after the answer. */
async function service() {
  const trips = { reads: 0, writes: 0 }
  const background: Promise<unknown>[] = []
  const answered = Promise.withResolvers<void>()
  const fetching: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const isWrite = (await request.clone().text()).includes("INSERT INTO")
    trips[isWrite ? "writes" : "reads"]++
    if (isWrite) await answered.promise
    return fetch(request)
  }
  const database = server.open({ fetch: fetching })
  const answerWrites = createAnswerWriteStore(database)
  const base = {
    clock: systemClock,
    log: () => undefined,
    background: (work: Promise<unknown>) => void background.push(work),
  }
  async function* lines(): AsyncGenerator<NodeLine> {
    yield nodeLine(mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 no such user")))
  }
  const ctx = testContext({
    ...base,
    digests: await createDigests(["p".repeat(32)]),
    randomToken: () => "token",
    dns: dnsZone({ "trips.test": { MX: [{ host: "mx.trips.test", preference: 10 }] } }),
    cache: { put: async () => undefined, startCompletion: () => false },
    singleFlight: { acquire: async () => true, release: async () => undefined },
    probes: { owner: async () => null, probe: async () => ({ kind: "lines", lines: lines() }) },
    memoryRateLimiter: { reserve: () => true, giveBack: () => undefined },
    writeBehind: createWriteBehind(
      { memory: newWriteBehindMemory(), bytesOf: bytesOfWrite, write: (entries) => answerWrites.writeAll(entries) },
      base,
    ),
    store: { results: createResultStore(database), formats: {} },
    config: { recheckDelaysMs: [] },
  })
  const checks = { ...ALL_CHECKS, rbl: false, gravatar: false, webPresence: false, domainAge: false }
  const caller = { kind: "member", accountId: ACCOUNT, allowance: { perMinute: null } } as unknown as Member
  async function verify(email: string) {
    const options = { email, smtp: true, timeoutMs: 10_000, checks }
    const { verdict, cached } = await verifyForCaller(ctx, testMeter(), { ...options, caller })
    answered.resolve()
    for (const work of background) await work
    return { status: verdict.status, cached, ...trips }
  }
  return { verify }
}

test("a verification needs one read before its answer and one write after it, and so does a stored result", async () => {
  const first = await (await service()).verify("user1@trips.test")
  expect(first).toMatchObject({ status: "valid", cached: false, reads: 1 })
  const answers = [
    await (await service()).verify("user2@trips.test"),
    await (await service()).verify("user2@trips.test"),
  ]
  expect(answers).toEqual([
    { status: "valid", cached: false, reads: 1, writes: 1 },
    { status: "valid", cached: true, reads: 1, writes: 1 },
  ])
  const history = await createHistoryStore(server.open()).recent(ACCOUNT, {
    limit: 10,
    offset: 0,
    before: Number.MAX_SAFE_INTEGER,
  })
  expect(history.map(({ address, cached }) => [address, cached])).toEqual([
    ["user2@trips.test", true],
    ["user2@trips.test", false],
    ["user1@trips.test", false],
  ])
})
