import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FeedbackKind } from "../../schema/vocabulary.ts"
import { createInboundReaders } from "../../src/adapters/inbound/readers.ts"
import type { Gates } from "../../src/adapters/keygate/gates.ts"
import { randomBytes, randomToken, systemClock } from "../../src/adapters/platform.ts"
import { createFeedbackStore } from "../../src/adapters/store/feedback.ts"
import { createModelStore } from "../../src/adapters/store/models.ts"
import { createNeighbourStore } from "../../src/adapters/store/neighbours.ts"
import { createObservationStore, type ObservationStore } from "../../src/adapters/store/observations.ts"
import { createReceiverStore } from "../../src/adapters/store/receivers.ts"
import { createResultLists } from "../../src/adapters/store/result-lists.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import { createTrainingRunStore } from "../../src/adapters/store/training-runs.ts"
import { cacheKey } from "../../src/domain/address/cache-key.ts"
import { createDigests } from "../../src/domain/keys/digest.ts"
import { createSealer } from "../../src/domain/keys/seal.ts"
import { measure } from "../../src/domain/model/metrics.ts"
import { MAX_INFLUENCE_POINTS } from "../../src/domain/model/train.ts"
import { assess, type Verification } from "../../src/domain/verdict/verification.ts"
import { createReceiver } from "../../src/services/feedback/create-receiver.ts"
import { receiveEvents } from "../../src/services/feedback/receive-events.ts"
import { enrich } from "../../src/services/learning/enrich.ts"
import { findStats } from "../../src/services/learning/find-stats.ts"
import { rollBack } from "../../src/services/learning/roll-back.ts"
import { startTraining } from "../../src/services/learning/start-training.ts"
import { weighSignals } from "../../src/services/learning/weigh-signals.ts"
import { startDatabase } from "../support/database.ts"
import { asRequest, sendgridSigner } from "../support/inbound-signers.ts"
import {
  type Mailbox,
  type Mailing,
  simulateWorld,
  WORLD_START,
  type WorldOptions,
} from "../support/simulated-world.ts"

const DAY_MS = 86_400_000
/** After the last mail of the world. */
const NOW = WORLD_START + 200 * DAY_MS
const PEPPER = ["a pepper of at least 32 characters"]
const EVENTS: Readonly<Partial<Record<FeedbackKind, object>>> = {
  delivered: { event: "delivered" },
  hard_bounce: { event: "bounce", type: "bounce", status: "5.1.1" },
}
const BATCH = 500

/** The service's own feedback and learning over a real database. The edge's cache is all that is missing. */
async function startLoop() {
  const database = await startDatabase()
  const open = database.open()
  const clock = { ...systemClock, now: () => NOW }
  const unfinished: Promise<unknown>[] = []
  const needs = {
    clock,
    ...{ randomBytes, randomToken },
    log: () => undefined,
    background: (work: Promise<unknown>) => void unfinished.push(work),
    digests: await createDigests(PEPPER),
    sealer: await createSealer(PEPPER, randomBytes),
    marks: {
      get: async () => [],
      put: async () => undefined,
      setFilled: async () => undefined,
      takeUpFilling: async () => null,
      announce: async () => undefined,
      knowsAll: async () => true,
      setKnowsAll: async () => undefined,
    },
    feedback: createFeedbackStore(open),
    receivers: createReceiverStore(open),
    resultLists: createResultLists(open),
    suppressions: createSuppressionStore(open),
    neighbours: createNeighbourStore(open),
    observations: lookingOnce(createObservationStore(open)),
    models: createModelStore(open, clock),
    trainingRuns: createTrainingRunStore(open),
    inbound: createInboundReaders(() => Promise.reject(new Error("no network here"))),
    trustedAccounts: new Set<string>(),
    // A month's events come in within a moment.
    gates: {
      ofAction: () => ({ count: async () => ({ admitted: true, remaining: 1, resetMs: 0 }) }),
    } as unknown as Gates,
    minuteBook: { take: () => true },
  }
  return {
    needs,
    stop: () => database.stop(),
    /** Nobody learns of accounts that anybody makes. */
    prove: (accountId: string) =>
      open.run(sql`INSERT OR IGNORE INTO accounts (account_id, email, created_at)
        VALUES (${accountId}, ${`${accountId}@mailbox.test`}, ${NOW})`),
    async settle() {
      while (unfinished.length > 0) await unfinished.shift()
    },
  }
}
/** Asks for the surroundings of a domain once: in this world they stay as they are. */
function lookingOnce(store: ObservationStore): ObservationStore {
  const known = new Map<string, ReturnType<ObservationStore["neighbourhoods"]>>()
  return {
    ...store,
    neighbourhoods(domains) {
      const key = domains.join(" ")
      const found = known.get(key) ?? store.neighbourhoods(domains)
      known.set(key, found)
      return found
    },
  }
}
type Loop = Awaited<ReturnType<typeof startLoop>>

const verified = ({ evidence }: Mailbox) => assess(evidence, { cached: true, verifiedAt: WORLD_START })

/** Everybody verifies the addresses, sends, and has the sending provider post what became of it. */
async function live({ needs, prove }: Loop, mailings: readonly Mailing[]): Promise<void> {
  const mailboxes = new Set(mailings.map(({ mailbox }) => mailbox))
  await needs.resultLists.saveAll(
    [...mailboxes].map((mailbox) => {
      const { evidence, verdict, score, verifiedAt } = verified(mailbox)
      const { address } = mailbox
      const key = { key: cacheKey(address), domain: address.domain }
      return { ...key, evidence, verdict, score: score.total, verifiedAt, expiresAt: NOW }
    }),
  )
  const signer = sendgridSigner()
  for (const [accountId, own] of Map.groupBy(mailings, (mailing) => mailing.accountId)) {
    await prove(accountId)
    const receiver = await createReceiver(needs, { accountId, provider: "sendgrid", secret: signer.verificationKey })
    for (let at = 0; at < own.length; at += BATCH) {
      const events = own.slice(at, at + BATCH).map(({ mailbox, kind, at: when }, n) => ({
        email: mailbox.address.normalized,
        timestamp: Math.floor(when / 1_000),
        sg_event_id: `${accountId}-${at + n}`,
        ...EVENTS[kind],
      }))
      const request = asRequest(signer.post(events, NOW), NOW)
      const taken = await receiveEvents(needs, { provider: "sendgrid", token: receiver.token, request })
      expect(taken).toEqual({ processed: events.length, known: 0, ignored: 0 })
    }
  }
}

/** What the service tells a stranger about addresses. */
async function predictions({ needs }: Loop, mailboxes: readonly Mailbox[]): Promise<Verification[]> {
  const enriched: Verification[] = []
  for (const mailbox of mailboxes) enriched.push(await enrich(needs, verified(mailbox), null))
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
const LIAR = { accountId: "acc_liar", mailings: 1_500 }
const mailings = simulateWorld({ ...WORLD, liar: LIAR })
/** Mail of the time after: the same hidden truth, addresses nobody has reported of. */
const afterwards = [...new Set(simulateWorld({ mailings: 1_500, accounts: 1, seed: 22 }).map(({ mailbox }) => mailbox))]

let [lied, honest]: Loop[] = []
beforeAll(async () => {
  lied = await startLoop()
  honest = await startLoop()
  await live(lied, mailings)
  await live(
    honest,
    mailings.filter(({ accountId }) => accountId !== LIAR.accountId),
  )
}, 120_000)
afterAll(async () => {
  await lied?.stop()
  await honest?.stop()
})

describe("accounts send, bounces come back through the receivers, a training runs", { timeout: 60_000 }, () => {
  test("the prior says so itself", async () => {
    const stats = await findStats(honest!.needs, "deliverability")
    expect(stats).toMatchObject({ model: { version: 0 }, report: null, training: null, versions: [] })
    expect(stats.facts).toBe(WORLD.mailings)
  })

  test("afterwards unseen addresses are ranked better (AUC by 0.01) and rated truer (Brier by 15 %, calibration < 0.05)", async () => {
    const before = await metricsOn(honest!, afterwards)
    const run = await startTraining(honest!.needs, { kind: "deliverability", minSamples: 1_000 })
    expect(run).toMatchObject({ state: "queued", progress: 0 })
    await honest!.settle()
    expect(await honest!.needs.trainingRuns.latest("deliverability")).toMatchObject({
      ...{ state: "trained", reason: null, version: 1, progress: 100 },
    })
    const after = await metricsOn(honest!, afterwards)
    expect(after.auc! - before.auc!).toBeGreaterThan(0.01)
    expect(after.brier).toBeLessThan(0.85 * before.brier)
    expect(after.calibrationError).toBeLessThan(0.05)
    const { report } = await findStats(honest!.needs, "deliverability")
    expect(report!.heldOut.logLoss).toBeLessThan(report!.prior.logLoss)
  })

  test(`an account that lies, with a quarter of all mail, moves nobody's score by more than ${MAX_INFLUENCE_POINTS}`, async () => {
    const without = await predictions(honest!, afterwards)
    await startTraining(lied!.needs, { kind: "deliverability", minSamples: 1_000 })
    await lied!.settle()
    expect((await findStats(lied!.needs, "deliverability")).model.version).toBe(1)
    const withLies = await predictions(lied!, afterwards)
    const moved = withLies.map(({ score }, n) => Math.abs(score.total - without[n]!.score.total))
    expect(Math.max(...moved)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })

  test("its own addresses are another matter: what an account reports counts for itself", async () => {
    const own = mailings.find(({ accountId, kind }) => accountId === LIAR.accountId && kind === "hard_bounce")!
    const verification = verified(own.mailbox)
    const [itself, stranger] = await Promise.all([
      enrich(lied!.needs, verification, LIAR.accountId),
      enrich(lied!.needs, verification, "acc_1"),
    ])
    expect(itself.prediction!.probability).toBeLessThan(stranger.prediction!.probability)
  })

  test("the same feedback gives the same model; it is no worse, so it is taken", async () => {
    const { needs, settle } = honest!
    await startTraining(needs, { kind: "deliverability", minSamples: 1_000 })
    await settle()
    const [second, first] = await needs.models.list("deliverability", 2)
    expect(second!.model).toEqual({ ...first!.model, version: 2, trainedAt: NOW })
  })

  test("rollback goes one back, then to the prior, then no further; a version is found by its number", async () => {
    const { needs } = honest!
    const active = async () => (await needs.models.active("deliverability")).version
    expect(await rollBack(needs, { kind: "deliverability" })).toEqual({ from: 2, to: 1 })
    expect(await active()).toBe(1)
    expect(await rollBack(needs, { kind: "deliverability" })).toEqual({ from: 1, to: 0 })
    expect(await active()).toBe(0)
    await expect(rollBack(needs, { kind: "deliverability" })).rejects.toMatchObject({ code: "not_found" })
    await expect(rollBack(needs, { kind: "deliverability", version: 9 })).rejects.toMatchObject({ code: "not_found" })
    expect(await rollBack(needs, { kind: "deliverability", version: 2 })).toEqual({ from: 0, to: 2 })
  })

  test("the classifier of accept-all domains learns from theirs alone, and beats its prior", async () => {
    const { needs, settle } = honest!
    await startTraining(needs, { kind: "catch_all", minSamples: 1_000 })
    await settle()
    const { model, report } = await findStats(needs, "catch_all")
    const acceptAll = mailings.filter(
      ({ accountId, mailbox }) => accountId !== LIAR.accountId && verified(mailbox).verdict.isCatchAll,
    )
    expect(model.version).toBe(1)
    expect(report!.samples).toBeLessThanOrEqual(acceptAll.length)
    expect(report!.samples).toBeGreaterThan(0.9 * acceptAll.length)
    expect(report!.heldOut.auc! - report!.prior.auc!).toBeGreaterThan(0.02)

    const unseen = afterwards.filter((mailbox) => verified(mailbox).verdict.isCatchAll)
    const resolved: Awaited<ReturnType<typeof weighSignals>>[] = []
    for (const mailbox of unseen) {
      const given = { verification: verified(mailbox), address: mailbox.address }
      const neighbours = { locals: [], received: 0, bounced: 0 }
      resolved.push(
        await weighSignals(needs, { ...given, neighbours, reported: null, directory: null, breaches: null }),
      )
    }
    expect(resolved[0]!.resolution).toMatchObject({ method: "trained model", modelVersion: 1 })
    const shareThere = (verdict: string) => {
      const such = unseen.filter((_, n) => resolved[n]!.resolution.verdict === verdict)
      return such.filter(({ isThere }) => isThere).length / such.length
    }
    expect(shareThere("likely_deliverable")).toBeGreaterThan(0.85)
    expect(shareThere("likely_undeliverable")).toBeLessThan(0.2)
  })

  test("one training of a kind at a time; a dead one is taken up again", async () => {
    const { trainingRuns } = honest!.needs
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
