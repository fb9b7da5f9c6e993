import { and, eq } from "drizzle-orm"
import { benchmarks } from "../../../../schema/tables/learning.ts"
import type { BenchmarkReport, Expectation } from "../../../domain/learning/benchmark.ts"
import type { Database } from "../database.ts"

export type Benchmark = Omit<typeof benchmarks.$inferSelect, "expected" | "report"> & {
  readonly expected: readonly Expectation[]
  /** Null until all addresses are verified. */
  readonly report: BenchmarkReport | null
}

export function createBenchmarkStore(database: Database) {
  return {
    async add(benchmark: Benchmark) {
      await database.insert(benchmarks).values(benchmark)
    },

    /** A benchmark of that account; null for an unknown one and for another account's. */
    async find(benchmarkId: string, accountId: string): Promise<Benchmark | null> {
      const own = and(eq(benchmarks.benchmarkId, benchmarkId), eq(benchmarks.accountId, accountId))
      const [row] = await database.select().from(benchmarks).where(own)
      return row
        ? { ...row, expected: row.expected as Expectation[], report: row.report as BenchmarkReport | null }
        : null
    },

    async complete(benchmarkId: string, report: BenchmarkReport, now: number) {
      await database.update(benchmarks).set({ report, completedAt: now }).where(eq(benchmarks.benchmarkId, benchmarkId))
    },
  }
}
