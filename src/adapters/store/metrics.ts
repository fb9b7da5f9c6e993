import { sql } from "drizzle-orm"
import { requestCounts } from "../../../schema/tables/metrics.ts"
import type { Database } from "./database.ts"

/** Waiting work, for monitoring. */
export interface Backlog {
  /** Chunks of bulk jobs: ready, scheduled for later, queued, in progress. */
  readonly chunks: Readonly<Record<"due" | "scheduled" | "leased" | "running", number>>
  /** How long the oldest chunk has been due, ms. */
  readonly oldestChunkMs: number
  readonly verifications: number
  readonly webhooks: number
  readonly rechecks: number
}

export interface MetricStore {
  requestCounts(): Promise<Map<string, number>>
  add(counts: ReadonlyMap<string, number>): Promise<void>
  /** Reads only open work, so the cost does not depend on the stored data. @param now Unix milliseconds */
  backlog(now: number): Promise<Backlog>
}

type BacklogRow = Record<keyof Backlog["chunks"] | "oldest" | "verifications" | "webhooks" | "rechecks", number | null>

export function createMetricStore(database: Database): MetricStore {
  return {
    async requestCounts() {
      return new Map((await database.select().from(requestCounts)).map(({ name, count }) => [name, count]))
    },

    async add(counts) {
      if (counts.size === 0) return
      await database.run(sql`INSERT INTO request_counts (name, count)
        SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify([...counts])}) WHERE true
        ON CONFLICT (name) DO UPDATE SET count = count + excluded.count`)
    },

    async backlog(now) {
      const [row] = await database.all<BacklogRow>(sql`SELECT
        (SELECT count(*) FROM job_chunks WHERE state = 'waiting' AND due_at <= ${now}) AS due,
        (SELECT count(*) FROM job_chunks WHERE state = 'waiting' AND due_at > ${now}) AS scheduled,
        (SELECT count(*) FROM job_chunks WHERE state = 'leased') AS leased,
        (SELECT count(*) FROM job_chunks WHERE state = 'running') AS running,
        (SELECT min(due_at) FROM job_chunks WHERE state = 'waiting') AS oldest,
        (SELECT count(*) FROM pending_verifications WHERE state IN ('queued', 'running')) AS verifications,
        (SELECT count(*) FROM outbound_events WHERE state = 'pending' AND due_at <= ${now}) AS webhooks,
        (SELECT count(*) FROM rechecks WHERE due_at <= ${now}) AS rechecks`)
      const of = (name: keyof BacklogRow) => Number(row?.[name] ?? 0)
      return {
        chunks: { due: of("due"), scheduled: of("scheduled"), leased: of("leased"), running: of("running") },
        oldestChunkMs: row?.oldest == null ? 0 : Math.max(0, now - row.oldest),
        verifications: of("verifications"),
        webhooks: of("webhooks"),
        rechecks: of("rechecks"),
      }
    },
  }
}
