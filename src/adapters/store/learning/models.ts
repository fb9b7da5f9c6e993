import { and, desc, eq, inArray, lt, sql } from "drizzle-orm"
import { activeModels, models, trainingRuns } from "../../../../schema/tables/learning.ts"
import type { ModelKind, TrainingRefusal } from "../../../../schema/vocabulary.ts"
import { type Model, PRIOR_MODELS } from "../../../domain/learning/model.ts"
import type { TrainingReport } from "../../../domain/learning/training-report.ts"
import { Memo } from "../../cache.ts"
import type { Clock } from "../../platform.ts"
import type { Database } from "../database.ts"

/** A trained model with its report. */
export interface StoredModel {
  readonly model: Model
  readonly report: TrainingReport
}

type NewModel = Pick<Model, "kind" | "bias" | "weights"> & {
  readonly runId: string
  readonly report: TrainingReport
  /** Unix milliseconds. */
  readonly trainedAt: number
}

const FRESH_MS = 60_000
/** One memory for each isolate; plain values may outlive a request. */
const memo = new Memo<Model>({ capacity: 16, ttlMs: FRESH_MS })

export function createModelStore(database: Database, clock: Pick<Clock, "now">) {
  async function read(kind: ModelKind): Promise<StoredModel | null> {
    const [row] = await database
      .select({ model: models })
      .from(activeModels)
      .innerJoin(models, and(eq(models.kind, activeModels.kind), eq(models.version, activeModels.version)))
      .where(eq(activeModels.kind, kind))
    return row ? toStoredModel(row.model) : null
  }

  return {
    /** The active model, or the prior before the first training. At most a minute old. */
    async active(kind: ModelKind): Promise<Model> {
      const known = memo.get(kind, clock.now())
      if (known) return known
      const model = (await read(kind))?.model ?? PRIOR_MODELS[kind]
      memo.set(kind, model, clock.now())
      return model
    },

    /** The active model with its report, read now; null while the prior is active. */
    activeWithReport: read,

    /** Newest first. */
    async list(kind: ModelKind, limit: number): Promise<StoredModel[]> {
      const rows = await database
        .select()
        .from(models)
        .where(eq(models.kind, kind))
        .orderBy(desc(models.version))
        .limit(limit)
      return rows.map(toStoredModel)
    },

    /** Stores a trained model and activates it; repeating that changes nothing. @returns its version */
    async add({ kind, bias, weights, runId, report, trainedAt }: NewModel): Promise<number> {
      const [, , rows] = await database.batch([
        database.run(sql`INSERT INTO models (kind, version, run_id, bias, weights, report, trained_at)
          SELECT ${kind}, coalesce(max(version), 0) + 1, ${runId}, ${bias}, ${JSON.stringify(weights)},
            ${JSON.stringify(report)}, ${trainedAt} FROM models WHERE kind = ${kind}
          ON CONFLICT (run_id) DO NOTHING`),
        database.run(sql`INSERT INTO active_models (kind, version, activated_at)
          SELECT kind, version, ${trainedAt} FROM models WHERE run_id = ${runId}
          ON CONFLICT (kind) DO UPDATE SET version = excluded.version, activated_at = excluded.activated_at`),
        database.select({ version: models.version }).from(models).where(eq(models.runId, runId)),
      ])
      memo.delete(kind)
      return rows[0]!.version
    },

    /** Activates a version, 0 for the prior. @returns false when there is no such version */
    async activate(kind: ModelKind, version: number, now: number): Promise<boolean> {
      const isPrior = version === 0
      const rows = await database.all(sql`INSERT INTO active_models (kind, version, activated_at)
        SELECT ${kind}, ${version}, ${now}
        WHERE ${isPrior} OR EXISTS (SELECT 1 FROM models WHERE kind = ${kind} AND version = ${version})
        ON CONFLICT (kind) DO UPDATE SET version = excluded.version, activated_at = excluded.activated_at
        RETURNING version`)
      memo.delete(kind)
      return rows.length > 0
    },

    /** The next lower version; 0 when only the prior is lower. */
    async versionBefore(kind: ModelKind, version: number): Promise<number> {
      const [row] = await database
        .select({ version: models.version })
        .from(models)
        .where(and(eq(models.kind, kind), lt(models.version, version)))
        .orderBy(desc(models.version))
        .limit(1)
      return row?.version ?? 0
    },
  }
}

function toStoredModel({ kind, version, bias, weights, trainedAt, report }: typeof models.$inferSelect): StoredModel {
  const model = { kind, version, bias, weights: weights as Model["weights"], trainedAt }
  return { model, report: report as TrainingReport }
}

export type TrainingRun = Omit<typeof trainingRuns.$inferSelect, "report"> & {
  readonly report: TrainingReport | null
}

/** The result of a training. */
interface TrainingEnd {
  readonly state: "trained" | "refused" | "failed"
  readonly reason?: TrainingRefusal
  readonly samples?: number
  readonly version?: number
  readonly report?: TrainingReport | null
  /** Unix milliseconds. */
  readonly now: number
}

const OPEN = ["queued", "running"] as const

export function createTrainingRunStore(database: Database) {
  const isOpen = inArray(trainingRuns.state, [...OPEN])
  return {
    /** Creates a training unless one of its kind is open. @returns the open training */
    async begin({
      runId,
      kind,
      minSamples,
      now,
    }: {
      runId: string
      kind: ModelKind
      minSamples: number
      now: number
    }): Promise<TrainingRun> {
      const [, rows] = await database.batch([
        database.run(sql`INSERT INTO training_runs (run_id, kind, state, min_samples, created_at)
          SELECT ${runId}, ${kind}, 'queued', ${minSamples}, ${now}
          WHERE NOT EXISTS (SELECT 1 FROM training_runs WHERE kind = ${kind} AND state IN ('queued', 'running'))`),
        database
          .select()
          .from(trainingRuns)
          .where(and(eq(trainingRuns.kind, kind), isOpen)),
      ])
      return toRun(rows[0]!)
    },

    /** Leases a training. @returns null when it is leased or over */
    async claim(runId: string, { now, until }: { now: number; until: number }): Promise<TrainingRun | null> {
      const [row] = await database
        .update(trainingRuns)
        .set({ state: "running", leaseUntil: until, attempts: sql`${trainingRuns.attempts} + 1` })
        .where(and(eq(trainingRuns.runId, runId), isOpen, lt(sql`coalesce(${trainingRuns.leaseUntil}, 0)`, now)))
        .returning()
      return row ? toRun(row) : null
    },

    /** @param progress percent */
    async advance(runId: string, progress: number, leaseUntil: number) {
      await database.update(trainingRuns).set({ progress, leaseUntil }).where(eq(trainingRuns.runId, runId))
    },

    async finish(runId: string, { state, reason, samples, version, report, now }: TrainingEnd) {
      await database
        .update(trainingRuns)
        .set({
          state,
          reason: reason ?? null,
          samples: samples ?? null,
          version: version ?? null,
          report: report ?? null,
          progress: 100,
          leaseUntil: null,
          finishedAt: now,
        })
        .where(and(eq(trainingRuns.runId, runId), isOpen))
    },

    async latest(kind: ModelKind): Promise<TrainingRun | null> {
      const [row] = await database
        .select()
        .from(trainingRuns)
        .where(eq(trainingRuns.kind, kind))
        .orderBy(desc(trainingRuns.createdAt))
        .limit(1)
      return row ? toRun(row) : null
    },

    /** Trainings with an expired lease. */
    async abandoned(now: number): Promise<TrainingRun[]> {
      const isDue = lt(sql`coalesce(${trainingRuns.leaseUntil}, ${trainingRuns.createdAt} + ${UNCLAIMED_MS})`, now)
      return (await database.select().from(trainingRuns).where(and(isOpen, isDue))).map(toRun)
    },

    async deleteBefore(createdBefore: number) {
      await database.delete(trainingRuns).where(lt(trainingRuns.createdAt, createdBefore))
    },
  }
}

/** A new training is claimed at once; after this time it counts as abandoned. */
const UNCLAIMED_MS = 60_000

function toRun(row: typeof trainingRuns.$inferSelect): TrainingRun {
  return { ...row, report: row.report as TrainingReport | null }
}
