import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FeedbackKind } from "../../schema/vocabulary.ts"
import type { KeyLimiters } from "../../src/adapters/accounts/key-limiters.ts"
import { randomBytes, randomToken, systemClock } from "../../src/adapters/platform.ts"
import { createActiveRules } from "../../src/adapters/reference/active-rules.ts"
import { createAccountErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createModelStore, createTrainingRunStore } from "../../src/adapters/store/learning/models.ts"
import { createObservationStore, type ObservationStore } from "../../src/adapters/store/learning/observations.ts"
import { createListOverrideStore } from "../../src/adapters/store/reference/list-overrides.ts"
import { createFeedbackStore } from "../../src/adapters/store/suppression/feedback.ts"
import { createReceiverStore } from "../../src/adapters/store/suppression/receivers.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createNeighborStore } from "../../src/adapters/store/verification/domain-results.ts"
import { createResultLists } from "../../src/adapters/store/verification/results.ts"
import { createInboundReaders } from "../../src/adapters/suppression/inbound-readers.ts"
import { createDigests, createSealer } from "../../src/domain/accounts/crypto.ts"
import { cacheKey } from "../../src/domain/address/address-forms.ts"
import { MAX_INFLUENCE_POINTS } from "../../src/domain/learning/train.ts"
import { measure } from "../../src/domain/learning/training-report.ts"
import { assess, type Verification } from "../../src/domain/verification/verification.ts"
import { enrich } from "../../src/services/learning/enrich.ts"
import { findStats, rollBack, startTraining } from "../../src/services/learning/training.ts"
import { createReceiver, findReceiver, receiveEvents } from "../../src/services/suppression/provider-events.ts"
import { testContext } from "../support/deps/context.ts"
import {
  type Mailbox,
  type Mailing,
  simulateWorld,
  WORLD_START,
  type WorldOptions,
} from "../support/mail/simulated-world.ts"
import { asRequest, sendgridSigner } from "../support/providers/inbound-signers.ts"
import { startDatabase } from "../support/stack/database.ts"

const DAY_MS = 86_400_000
/** After the last mail of the world. */
const NOW = WORLD_START + 200 * DAY_MS
const PEPPER = ["a pepper of at least 32 characters"]
const EVENTS: Readonly<Partial<Record<FeedbackKind, object>>> = {
  delivered: { event: "delivered" },
  hard_bounce: { event: "bounce", type: "bounce", status: "5.1.1" },
}
const BATCH = 500

/** The service's own feedback and learning over a real database. Only the edge's cache is missing. */
async function startLoop() {
  const database = await startDatabase()
  const open = database.open()
  const clock = { ...systemClock, now: () => NOW }
  const unfinished: Promise<unknown>[] = []
  const models = createModelStore(open, clock)
  const ctx = testContext({
    clock,
    ...{ randomBytes, randomToken },
    log: () => undefined,
    background: (work: Promise<unknown>) => void unfinished.push(work),
    digests: await createDigests(PEPPER),
    sealer: await createSealer(PEPPER, randomBytes),
    flags: {
      get: async () => [],
      isKnownEmpty: () => true,
      put: async () => undefined,
      setFilled: async () => undefined,
      continueFilling: async () => null,
      markNonEmpty: async () => undefined,
      isComplete: async () => true,
      setComplete: async () => undefined,
    },
    activeRules: createActiveRules(() => ({ listOverrides: createListOverrideStore(open), models }), {
      ...{ clock, log: () => undefined, background: () => undefined },
    }),
    inbound: createInboundReaders(() => Promise.reject(new Error("no network here"))),
    // A month of events arrives within a moment.
    keyLimiters: {
      ofAction: () => ({ count: async () => ({ accepted: true, remaining: 1, resetMs: 0 }) }),
    } as unknown as KeyLimiters,
    memoryRateLimiter: { reserve: () => true, giveBack: () => undefined },
    store: {
      feedback: createFeedbackStore(open),
      receivers: createReceiverStore(open),
      resultLists: createResultLists(open),
      suppressions: createSuppressionStore(open),
      accountErasures: createAccountErasureStore(open),
      neighbors: createNeighborStore(open),
      observations: cachingNeighborhoods(createObservationStore(open)),
      models,
      trainingRuns: createTrainingRunStore(open),
    },
    config: { trustedAccounts: new Set<string>() },
  })
  return {
    ctx,
    stop: () => database.stop(),
    /** Gives the account a verified mailbox: the model ignores accounts without one. */
    prove: (accountId: string) =>
      open.run(sql`INSERT OR IGNORE INTO accounts (account_id, email, created_at)
        VALUES (${accountId}, ${`${accountId}@mailbox.test`}, ${NOW})`),
    async settle() {
      while (unfinished.length > 0) await unfinished.shift()
    },
  }
}

/** Queries the neighborhood of a domain once, because it does not change in this world. */
function cachingNeighborhoods(store: ObservationStore): ObservationStore {
  const known = new Map<string, ReturnType<ObservationStore["neighborhoods"]>>()
  return {
    ...store,
    neighborhoods(domains) {
      const key = domains.join(" ")
      const found = known.get(key) ?? store.neighborhoods(domains)
      known.set(key, found)
      return found
    },
  }
}
type Loop = Awaited<ReturnType<typeof startLoop>>

const verified = ({ evidence }: Mailbox) => assess(evidence, { cached: true, verifiedAt: WORLD_START })

/** All accounts verify the addresses and send, and the sending provider posts the outcomes. */
async function runMailings({ ctx, prove }: Loop, mailings: readonly Mailing[]): Promise<void> {
  const mailboxes = new Set(mailings.map(({ mailbox }) => mailbox))
  await ctx.store.resultLists.saveAll(
    [...mailboxes].map((mailbox) => {
      const { evidence, verdict, score, canSend, verifiedAt } = verified(mailbox)
      const { address } = mailbox
      const key = { key: cacheKey(address), domain: address.domain }
      return { ...key, evidence, verdict, score: score.total, canSend, verifiedAt, expiresAt: NOW }
    }),
    null,
  )
  const signer = sendgridSigner()
  for (const [accountId, own] of Map.groupBy(mailings, (mailing) => mailing.accountId)) {
    await prove(accountId)
    const receiver = await createReceiver(ctx, { accountId, provider: "sendgrid", secret: signer.verificationKey })
    for (let at = 0; at < own.length; at += BATCH) {
      const events = own.slice(at, at + BATCH).map(({ mailbox, kind, at: when }, n) => ({
        email: mailbox.address.normalized,
        timestamp: Math.floor(when / 1_000),
        sg_event_id: `${accountId}-${at + n}`,
        ...EVENTS[kind],
      }))
      const request = asRequest(signer.post(events, NOW), NOW)
      const found = await findReceiver(ctx, { provider: "sendgrid", token: receiver.token, clientIp: undefined })
      const received = await receiveEvents(ctx, found, request)
      expect(received).toEqual({ processed: events.length, known: 0, withoutVerdict: 0, ignored: 0, unreadable: 0 })
    }
  }
}

/** The service's predictions for an account without reports. */
async function predictions({ ctx }: Loop, mailboxes: readonly Mailbox[]): Promise<Verification[]> {
  const enriched: Verification[] = []
  for (const mailbox of mailboxes) enriched.push(await enrich(ctx, verified(mailbox), null))
  return enriched
}

async function metricsOn(loop: Loop, mailboxes: readonly Mailbox[]) {
  const enriched = await predictions(loop, mailboxes)
  return measure(
    enriched.map(({ prediction }, n) => ({
      probability: prediction!.probability,
      outcome: mailboxes[n]!.isThere ? 1 : 0,
      weight: 1,
    })),
  )!
}

const WORLD: WorldOptions = { mailings: 5_000, accounts: 14, seed: 21 }
const FALSE_REPORTER = { accountId: "acc_liar", mailings: 1_500 }
const mailings = simulateWorld({ ...WORLD, falseReporter: FALSE_REPORTER })
/** Later mail: the same hidden truth, addresses without any report. */
const afterwards = [...new Set(simulateWorld({ mailings: 1_500, accounts: 1, seed: 22 }).map(({ mailbox }) => mailbox))]

let [poisoned, honest]: Loop[] = []
beforeAll(async () => {
  poisoned = await startLoop()
  honest = await startLoop()
  await runMailings(poisoned, mailings)
  await runMailings(
    honest,
    mailings.filter(({ accountId }) => accountId !== FALSE_REPORTER.accountId),
  )
})
afterAll(async () => {
  await poisoned?.stop()
  await honest?.stop()
})

describe("accounts send, bounces arrive at the receivers, and a training runs", () => {
  test("before the first training, the statistics describe the prior", async () => {
    const stats = await findStats(honest!.ctx, "deliverability")
    expect(stats).toMatchObject({ model: { version: 0 }, report: null, training: null, versions: [] })
    expect(stats.facts).toBe(WORLD.mailings)
  })

  test("after it, unseen addresses are ranked better (AUC +0.01) with better probabilities (Brier -15 %, calibration < 0.05)", async () => {
    const before = await metricsOn(honest!, afterwards)
    const run = await startTraining(honest!.ctx, { kind: "deliverability", minSamples: 1_000 })
    expect(run).toMatchObject({ state: "queued", progress: 0 })
    await honest!.settle()
    expect(await honest!.ctx.store.trainingRuns.latest("deliverability")).toMatchObject({
      ...{ state: "trained", reason: null, version: 1, progress: 100 },
    })
    const after = await metricsOn(honest!, afterwards)
    expect(after.auc! - before.auc!).toBeGreaterThan(0.01)
    expect(after.brier).toBeLessThan(0.85 * before.brier)
    expect(after.calibrationError).toBeLessThan(0.05)
    const { report } = await findStats(honest!.ctx, "deliverability")
    expect(report!.heldOut.logLoss).toBeLessThan(report!.prior.logLoss)
  })

  test(`an account with false reports and a quarter of all mail moves no other score by more than ${MAX_INFLUENCE_POINTS}`, async () => {
    const without = await predictions(honest!, afterwards)
    await startTraining(poisoned!.ctx, { kind: "deliverability", minSamples: 1_000 })
    await poisoned!.settle()
    expect((await findStats(poisoned!.ctx, "deliverability")).model.version).toBe(1)
    const withLies = await predictions(poisoned!, afterwards)
    const differences = withLies.map(({ score }, n) => Math.abs(score.total - without[n]!.score.total))
    expect(Math.max(...differences)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })

  test("an account's reports have full effect on its own predictions", async () => {
    const own = mailings.find(
      ({ accountId, kind }) => accountId === FALSE_REPORTER.accountId && kind === "hard_bounce",
    )!
    const verification = verified(own.mailbox)
    const [itself, stranger] = await Promise.all([
      enrich(poisoned!.ctx, verification, FALSE_REPORTER.accountId),
      enrich(poisoned!.ctx, verification, "acc_1"),
    ])
    expect(itself.prediction!.probability).toBeLessThan(stranger.prediction!.probability)
  })

  test("the same feedback gives the same model, which is activated because it is not worse", async () => {
    const { ctx, settle } = honest!
    await startTraining(ctx, { kind: "deliverability", minSamples: 1_000 })
    await settle()
    const [second, first] = await ctx.store.models.list("deliverability", 2)
    expect(second!.model).toEqual({ ...first!.model, version: 2, trainedAt: NOW })
  })

  test("a rollback activates the previous model, then the prior, and then fails; a version is selected by its number", async () => {
    const { ctx } = honest!
    const active = async () => (await ctx.store.models.active("deliverability")).version
    expect(await rollBack(ctx, { kind: "deliverability" })).toEqual({ from: 2, to: 1 })
    expect(await active()).toBe(1)
    expect(await rollBack(ctx, { kind: "deliverability" })).toEqual({ from: 1, to: 0 })
    expect(await active()).toBe(0)
    await expect(rollBack(ctx, { kind: "deliverability" })).rejects.toMatchObject({ code: "not_found" })
    await expect(rollBack(ctx, { kind: "deliverability", version: 9 })).rejects.toMatchObject({ code: "not_found" })
    expect(await rollBack(ctx, { kind: "deliverability", version: 2 })).toEqual({ from: 0, to: 2 })
  })

  test("the accept-all classifier learns from accept-all domains only, and beats its prior", async () => {
    const { ctx, settle } = honest!
    await startTraining(ctx, { kind: "catch_all", minSamples: 1_000 })
    await settle()
    const { model, report } = await findStats(ctx, "catch_all")
    const acceptAll = mailings.filter(
      ({ accountId, mailbox }) => accountId !== FALSE_REPORTER.accountId && verified(mailbox).verdict.isCatchAll,
    )
    expect(model.version).toBe(1)
    expect(report!.samples).toBeLessThanOrEqual(acceptAll.length)
    expect(report!.samples).toBeGreaterThan(0.9 * acceptAll.length)
    expect(report!.heldOut.auc! - report!.prior.auc!).toBeGreaterThan(0.02)

    const unseen = afterwards.filter((mailbox) => verified(mailbox).verdict.isCatchAll)
    const resolved = unseen.map((mailbox) => verified(mailbox).catchAll!)
    expect(resolved[0]).toMatchObject({ method: "trained model", modelVersion: 1 })
    const shareThere = (verdict: string) => {
      const such = unseen.filter((_, n) => resolved[n]!.verdict === verdict)
      return such.filter(({ isThere }) => isThere).length / such.length
    }
    expect(shareThere("likely_deliverable")).toBeGreaterThan(0.85)
    expect(shareThere("likely_undeliverable")).toBeLessThan(0.2)
  })

  test("one training of a kind runs at a time; an abandoned one is claimed again", async () => {
    const { trainingRuns } = honest!.ctx.store
    const run = { kind: "deliverability", minSamples: 1_000, now: NOW } as const
    expect((await trainingRuns.begin({ ...run, runId: "run_a" })).runId).toBe("run_a")
    expect((await trainingRuns.begin({ ...run, runId: "run_b" })).runId).toBe("run_a")
    expect(await trainingRuns.claim("run_a", { now: NOW, until: NOW + 1_000 })).toMatchObject({ attempts: 1 })
    expect(await trainingRuns.claim("run_a", { now: NOW, until: NOW + 1_000 })).toBeNull()
    expect(await trainingRuns.abandoned(NOW + 500)).toEqual([])
    expect((await trainingRuns.abandoned(NOW + 1_500)).map(({ runId }) => runId)).toEqual(["run_a"])
    expect(await trainingRuns.claim("run_a", { now: NOW + 1_500, until: NOW + 2_500 })).toMatchObject({ attempts: 2 })
  })
})
