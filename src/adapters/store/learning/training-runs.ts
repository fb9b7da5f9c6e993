import { and, desc, eq, inArray, lt, sql } from "drizzle-orm"
import { trainingRuns } from "../../../../schema/tables/models.ts"
import type { ModelKind, TrainingRefusal } from "../../../../schema/vocabulary.ts"
import type { TrainingReport } from "../../../domain/learning/training-report.ts"
import type { Database } from "../database.ts"

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

export interface TrainingRunStore {
  /** Creates a training unless one of its kind is open. @returns the open training */
  begin(run: { runId: string; kind: ModelKind; minSamples: number; now: number }): Promise<TrainingRun>
  /** Leases a training. @returns null when it is leased or over */
  claim(runId: string, lease: { now: number; until: number }): Promise<TrainingRun | null>
  /** @param progress percent */
  advance(runId: string, progress: number, leaseUntil: number): Promise<void>
  finish(runId: string, end: TrainingEnd): Promise<void>
  latest(kind: ModelKind): Promise<TrainingRun | null>
  /** Trainings with an expired lease. */
  abandoned(now: number): Promise<TrainingRun[]>
  deleteBefore(createdBefore: number): Promise<void>
}

const OPEN = ["queued", "running"] as const

export function createTrainingRunStore(database: Database): TrainingRunStore {
  const isOpen = inArray(trainingRuns.state, [...OPEN])
  return {
    async begin({ runId, kind, minSamples, now }) {
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

    async claim(runId, { now, until }) {
      const [row] = await database
        .update(trainingRuns)
        .set({ state: "running", leaseUntil: until, attempts: sql`${trainingRuns.attempts} + 1` })
        .where(and(eq(trainingRuns.runId, runId), isOpen, lt(sql`coalesce(${trainingRuns.leaseUntil}, 0)`, now)))
        .returning()
      return row ? toRun(row) : null
    },

    async advance(runId, progress, leaseUntil) {
      await database.update(trainingRuns).set({ progress, leaseUntil }).where(eq(trainingRuns.runId, runId))
    },

    async finish(runId, { state, reason, samples, version, report, now }) {
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

    async latest(kind) {
      const [row] = await database
        .select()
        .from(trainingRuns)
        .where(eq(trainingRuns.kind, kind))
        .orderBy(desc(trainingRuns.createdAt))
        .limit(1)
      return row ? toRun(row) : null
    },

    async abandoned(now) {
      const isDue = lt(sql`coalesce(${trainingRuns.leaseUntil}, ${trainingRuns.createdAt} + ${UNCLAIMED_MS})`, now)
      return (await database.select().from(trainingRuns).where(and(isOpen, isDue))).map(toRun)
    },

    async deleteBefore(createdBefore) {
      await database.delete(trainingRuns).where(lt(trainingRuns.createdAt, createdBefore))
    },
  }
}

/** A new training is claimed at once; after this time it counts as abandoned. */
const UNCLAIMED_MS = 60_000

function toRun(row: typeof trainingRuns.$inferSelect): TrainingRun {
  return { ...row, report: row.report as TrainingReport | null }
}
