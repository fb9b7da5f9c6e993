import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { MODEL_KINDS, TRAINING_REFUSALS, TRAINING_STATES } from "../vocabulary.ts"

/** Trained models, kept so that any can be taken back into use. Version 0 is the prior, which is in the code. */
export const models = sqliteTable(
  "models",
  {
    kind: text({ enum: MODEL_KINDS }).notNull(),
    version: integer().notNull(),
    /** The training it came from; repeating that makes no second one. */
    runId: text().notNull().unique(),
    bias: real().notNull(),
    weights: text({ mode: "json" }).$type<unknown>().notNull(),
    report: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    trainedAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.version] })],
)

/** Which model is in use; without a row the prior is. */
export const activeModels = sqliteTable("active_models", {
  kind: text({ enum: MODEL_KINDS }).primaryKey(),
  version: integer().notNull(),
  /** Unix milliseconds. */
  activatedAt: integer().notNull(),
})

/** Trainings, whether or not a model came of them. */
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
    /** Of the model that came of it. */
    version: integer(),
    attempts: integer().notNull().default(0),
    /** Unix milliseconds, all. A running one whose lease has ended is taken for dead. */
    leaseUntil: integer(),
    createdAt: integer().notNull(),
    finishedAt: integer(),
  },
  (table) => [index("training_runs_kind").on(table.kind, table.createdAt)],
)
