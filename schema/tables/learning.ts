import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { MODEL_KINDS, TRAINING_REFUSALS, TRAINING_STATES } from "../vocabulary.ts"

/** Trained models, stored so that any can be activated again. Version 0 is the prior, which is in the code. */
export const models = sqliteTable(
  "models",
  {
    kind: text({ enum: MODEL_KINDS }).notNull(),
    version: integer().notNull(),
    /** The training run. Repeating the run creates no second model. */
    runId: text().notNull().unique(),
    bias: real().notNull(),
    weights: text({ mode: "json" }).$type<unknown>().notNull(),
    report: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    trainedAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.version] })],
)

/** The active model; without a row, the prior. */
export const activeModels = sqliteTable("active_models", {
  kind: text({ enum: MODEL_KINDS }).primaryKey(),
  version: integer().notNull(),
  /** Unix milliseconds. */
  activatedAt: integer().notNull(),
})

/** Training runs, with or without a resulting model. */
export const trainingRuns = sqliteTable(
  "training_runs",
  {
    runId: text().primaryKey(),
    kind: text({ enum: MODEL_KINDS }).notNull(),
    state: text({ enum: TRAINING_STATES }).notNull(),
    reason: text({ enum: TRAINING_REFUSALS }),
    minSamples: integer().notNull(),
    /** Percent. */
    progress: integer().notNull().default(0),
    samples: integer(),
    report: text({ mode: "json" }).$type<unknown>(),
    /** Version of the resulting model. */
    version: integer(),
    attempts: integer().notNull().default(0),
    /** Unix milliseconds, all. A running one whose lease has ended counts as failed. */
    leaseUntil: integer(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (table) => [index("training_runs_kind").on(table.kind, table.createdAt)],
)

/** Benchmarks of an account: expectations and report. */
export const benchmarks = sqliteTable(
  "benchmarks",
  {
    benchmarkId: text().primaryKey(),
    accountId: text().notNull(),
    /** The job of a large benchmark. */
    jobId: text(),
    /** Addresses with the expected status, in the given order. */
    expected: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Null until all addresses are verified. */
    report: text({ mode: "json" }).$type<unknown>(),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    completedAt: integer(),
  },
  (table) => [index("benchmarks_account").on(table.accountId), index("benchmarks_created_at").on(table.createdAt)],
)
