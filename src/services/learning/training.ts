import { MODEL_KINDS, type ModelKind } from "../../../schema/vocabulary.ts"
import type { StoredModel, TrainingRun } from "../../adapters/store/learning/models.ts"
import type { Context } from "../../context.ts"
import { groupUnverifiedAccounts } from "../../domain/learning/account-weights.ts"
import { type Model, PRIOR_MODELS } from "../../domain/learning/model.ts"
import {
  type Neighborhood,
  neighborHistory,
  type Observation,
  type Sample,
  samplesOf,
} from "../../domain/learning/samples.ts"
import { train } from "../../domain/learning/train.ts"
import { DAY_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"

/** Starts a training in the background or returns the running one. Too few facts are refused at once. */
export async function startTraining(
  ctx: Context,
  { kind, minSamples }: { kind: ModelKind; minSamples: number },
): Promise<TrainingRun> {
  const { clock } = ctx
  const { trainingRuns, observations } = ctx.store
  const now = clock.now()
  const run = await trainingRuns.begin({ runId: `run_${ctx.randomToken()}`, kind, minSamples, now })
  if (run.state !== "queued" || run.createdAt !== now) return run
  const facts = await observations.count(kind, { since: windowStart(now), limit: minSamples })
  if (facts < minSamples) {
    const end = { state: "refused", reason: "too_few_samples", samples: facts } as const
    await trainingRuns.finish(run.runId, { ...end, now })
    return { ...run, ...end, progress: 100, finishedAt: now }
  }
  ctx.background(runTraining(ctx, run.runId))
  return run
}

/** The number of new facts that justifies a training. */
const MIN_NEW_FACTS = 1_000
const RUN_RETENTION_MS = 365 * DAY_MS

/** Trains each model again when it has enough new facts, and deletes old training runs. */
export async function trainDue(ctx: Context): Promise<void> {
  const { clock } = ctx
  const { trainingRuns, observations } = ctx.store
  const now = clock.now()
  for (const kind of MODEL_KINDS) {
    const last = await trainingRuns.latest(kind)
    const since = Math.max(windowStart(now), last?.createdAt ?? 0)
    if ((await observations.count(kind, { since, limit: MIN_NEW_FACTS })) < MIN_NEW_FACTS) continue
    const run = { runId: `run_${ctx.randomToken()}`, kind, minSamples: MIN_NEW_FACTS, now: clock.now() }
    await runTraining(ctx, (await trainingRuns.begin(run)).runId)
  }
  await trainingRuns.deleteBefore(now - RUN_RETENTION_MS)
}

/** Resumes trainings whose worker crashed. */
export async function resumeTrainings(ctx: Context): Promise<void> {
  for (const { runId } of await ctx.store.trainingRuns.abandoned(ctx.clock.now())) await runTraining(ctx, runId)
}

/** Longer than any step between two lease renewals. */
const LEASE_MS = 60_000
const MAX_ATTEMPTS = 3
/** The share of the work that reading takes, in percent. */
const READING = 80
/** The lease is renewed each time the progress grows by this many percent. */
const STEP = 10
/** Means all accounts in the trusted list. */
const ALL_ACCOUNTS = "*"

/** Runs a training unless another worker has claimed it. A new model is active here at once, elsewhere within a minute. Errors are logged. */
export async function runTraining(ctx: Context, runId: string): Promise<void> {
  const { clock, log } = ctx
  const { trainingRuns } = ctx.store
  const now = clock.now()
  const run = await trainingRuns.claim(runId, { now, until: now + LEASE_MS })
  if (!run) return
  try {
    // A worker that was killed, for example for lack of memory, cannot mark the run as failed.
    if (run.attempts > MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now })
    else await work(ctx, run)
  } catch (error) {
    log("training_failed", { run: runId, attempt: run.attempts, error: (error as Error).message })
    if (run.attempts >= MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now: clock.now() })
  }
}

async function work(ctx: Context, { runId, kind, minSamples }: TrainingRun): Promise<void> {
  const { clock } = ctx
  const { models, observations, trainingRuns } = ctx.store
  let renewedAt = 0
  const collected = await collectSamples(ctx, {
    kind,
    async onProgress(share) {
      const progress = Math.floor(share * READING)
      if (progress < renewedAt + STEP) return
      renewedAt = progress
      await trainingRuns.advance(runId, progress, clock.now() + LEASE_MS)
    },
  })
  const current = (await models.activeWithReport(kind))?.model ?? (await models.active(kind))
  const accounts = [...new Set(collected.map(({ accountId }) => accountId))]
  const trusted = ctx.config.trustedAccounts.has(ALL_ACCOUNTS) ? new Set(accounts) : ctx.config.trustedAccounts
  const samples = groupUnverifiedAccounts(
    collected,
    new Set([...(await observations.trustedAccounts(accounts)), ...trusted]),
  )
  const training = train(samples, { kind, minSamples, current, trusted })
  const end = { samples: samples.length, report: training.report }
  if (training.kind === "refused")
    return trainingRuns.finish(runId, { state: "refused", reason: training.reason, ...end, now: clock.now() })
  const { model, report } = training
  const version = await models.add({ kind, ...model, runId, report, trainedAt: clock.now() })
  await ctx.activeRules.reload()
  await trainingRuns.finish(runId, { state: "trained", version, ...end, now: clock.now() })
}

/** Older feedback no longer describes today's mail. */
const WINDOW_MS = 365 * 24 * 3_600_000
const MAX_ROWS = 60_000
const ROWS_AT_ONCE = 1_000
/** The domains with the most feedback. For other domains only the address itself counts. */
const MAX_DOMAINS = 4_000
const DOMAINS_AT_ONCE = 200

/** Returns the start of the training window, Unix milliseconds. */
function windowStart(now: number): number {
  return now - WINDOW_MS
}

/** Collects samples from the latest feedback, in order of time. @param onProgress receives the share read */
async function collectSamples(
  ctx: Context,
  { kind, onProgress }: { kind: ModelKind; onProgress: (share: number) => Promise<void> },
): Promise<Sample[]> {
  const { observations } = ctx.store
  const rows = await observations.latestRows({ since: windowStart(ctx.clock.now()), limit: MAX_ROWS })
  const facts: Observation[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    for (const fact of await observations.read(rows.slice(at, at + ROWS_AT_ONCE), kind)) facts.push(fact)
    await onProgress(Math.min(1, (at + ROWS_AT_ONCE) / rows.length))
  }
  if (kind === "catch_all") return samplesOf(facts, null)
  const neighborhoods = await collectNeighbourhoods(ctx, facts)
  return samplesOf(facts, ({ pattern, status }, domain) => {
    const own = status === "invalid" ? ("missing" as const) : ("known" as const)
    return neighborHistory(neighborhoods.get(domain), { pattern, own })
  })
}

async function collectNeighbourhoods(ctx: Context, facts: readonly Observation[]) {
  const counts = new Map<string, number>()
  for (const { domain } of facts) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  const domains = [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!).slice(0, MAX_DOMAINS)
  const found = new Map<string, Neighborhood>()
  for (let at = 0; at < domains.length; at += DOMAINS_AT_ONCE)
    for (const entry of await ctx.store.observations.neighborhoods(domains.slice(at, at + DOMAINS_AT_ONCE)))
      found.set(...entry)
  return found
}

export interface LearningStats {
  /** The model in use. */
  readonly model: Model
  /** Its evaluation at training time, null for the prior, which is not trained. */
  readonly report: StoredModel["report"] | null
  /** Facts available for training, counted up to MAX_COUNTED. */
  readonly facts: number
  readonly training: TrainingRun | null
  /** Newest first. */
  readonly versions: readonly StoredModel[]
}

const MAX_COUNTED = 60_000
const VERSIONS_SHOWN = 20

export async function findStats(ctx: Context, kind: ModelKind): Promise<LearningStats> {
  const { clock } = ctx
  const { models, trainingRuns, observations } = ctx.store
  const [active, training, versions, facts] = await Promise.all([
    models.activeWithReport(kind),
    trainingRuns.latest(kind),
    models.list(kind, VERSIONS_SHOWN),
    observations.count(kind, { since: windowStart(clock.now()), limit: MAX_COUNTED }),
  ])
  return { model: active?.model ?? PRIOR_MODELS[kind], report: active?.report ?? null, facts, training, versions }
}

/** Activates the model before the current one, or the given version, 0 for the prior. @throws AppError not_found */
export async function rollBack(ctx: Context, { kind, version }: { kind: ModelKind; version?: number | undefined }) {
  const from = (await ctx.store.models.activeWithReport(kind))?.model.version ?? 0
  if (from === 0 && version === undefined)
    throw new AppError("not_found", "the prior is in use; no version precedes it")
  const to = version ?? (await ctx.store.models.versionBefore(kind, from))
  if (!(await ctx.store.models.activate(kind, to, ctx.clock.now())))
    throw new AppError("not_found", `there is no version ${to}`)
  await ctx.activeRules.reload()
  return { from, to }
}
