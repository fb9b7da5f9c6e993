import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm"
import { listOverrides, listRefreshes, listVersion } from "../../../../schema/tables/reference.ts"
import type { ListClass, OverrideOrigin, RefreshedList } from "../../../../schema/vocabulary.ts"
import type { Override } from "../../../domain/reference/active-lists.ts"
import type { Database } from "../database.ts"
import { slicesOf } from "../json-rows.ts"

/** An entry of the operator. */
export interface StoredOverride extends Override {
  readonly class: ListClass
  readonly note: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** The result of one source in a refresh. */
export interface SourceReport {
  readonly name: string
  /** Names read; null after a read error. */
  readonly names: number | null
  readonly problem: string | null
}

export type Refresh = Omit<typeof listRefreshes.$inferSelect, "refreshId" | "sources"> & {
  readonly sources: readonly SourceReport[]
}

const SLICE = 5_000

export function createListOverrideStore(database: Database) {
  const bump = () => database.update(listVersion).set({ version: sql`${listVersion.version} + 1` })
  return {
    /** Increases with every change. */
    async version(): Promise<number> {
      return (await database.select({ version: listVersion.version }).from(listVersion))[0]?.version ?? 0
    },

    // One JSON cell per class instead of a row per name: a tenth of the transfer and parsing.
    async all(): Promise<Override[]> {
      const rows = await database.all<{ origin: OverrideOrigin; class: Override["class"]; domains: string }>(
        sql`SELECT origin, class, json_group_array(domain) AS domains FROM list_overrides GROUP BY origin, class`,
      )
      return rows.flatMap(({ origin, class: listClass, domains }) =>
        (JSON.parse(domains) as string[]).map((domain) => ({ domain, origin, class: listClass })),
      )
    },

    /** Fetched names of a class. */
    async fetchedNames(listClass: RefreshedList): Promise<Set<string>> {
      const fetched = and(eq(listOverrides.origin, "fetched"), eq(listOverrides.class, listClass))
      const rows = await database.select({ domain: listOverrides.domain }).from(listOverrides).where(fetched)
      return new Set(rows.map(({ domain }) => domain))
    },

    /** Records a refresh and applies its changes. */
    async apply(
      refresh: Refresh,
      { additions, removals }: { additions: readonly string[]; removals: readonly string[] },
    ) {
      for (const names of slicesOf(removals, SLICE))
        await database.run(sql`DELETE FROM list_overrides WHERE origin = 'fetched' AND class = ${refresh.class}
          AND domain IN (SELECT value FROM json_each(${names}))`)
      for (const names of slicesOf(additions, SLICE))
        await database.run(sql`INSERT INTO list_overrides (domain, origin, class, created_at)
          SELECT value, 'fetched', ${refresh.class}, ${refresh.at} FROM json_each(${names}) WHERE true
          ON CONFLICT (domain, origin) DO UPDATE SET class = excluded.class, created_at = excluded.created_at`)
      await database.batch([database.insert(listRefreshes).values(refresh), bump()])
    },

    async set(override: StoredOverride) {
      const { class: listClass, note, createdAt } = override
      await database.batch([
        database
          .insert(listOverrides)
          .values(override)
          .onConflictDoUpdate({
            target: [listOverrides.domain, listOverrides.origin],
            set: { class: listClass, note, createdAt },
          }),
        bump(),
      ])
    },

    /** Deletes the operator's override of a domain. @returns whether there was one */
    async remove(domain: string): Promise<boolean> {
      const own = and(eq(listOverrides.domain, domain), eq(listOverrides.origin, "operator"))
      const [removed] = await database.batch([
        database.delete(listOverrides).where(own).returning({ domain: listOverrides.domain }),
        bump(),
      ])
      return removed.length > 0
    },

    /** The operator's entries, ordered by domain. */
    async page({ after, limit }: { after: string; limit: number }): Promise<StoredOverride[]> {
      const rows = await database
        .select()
        .from(listOverrides)
        .where(and(eq(listOverrides.origin, "operator"), gt(listOverrides.domain, after)))
        .orderBy(asc(listOverrides.domain))
        .limit(limit)
      return rows.map((row) => ({ ...row, class: row.class as ListClass }))
    },

    counts: (): Promise<{ origin: OverrideOrigin; class: Override["class"]; count: number }[]> =>
      database
        .select({ origin: listOverrides.origin, class: listOverrides.class, count: sql<number>`count(*)` })
        .from(listOverrides)
        .where(inArray(listOverrides.origin, ["operator", "fetched"]))
        .groupBy(listOverrides.origin, listOverrides.class),

    /** The latest first. */
    async refreshes(limit: number): Promise<Refresh[]> {
      const rows = await database.select().from(listRefreshes).orderBy(desc(listRefreshes.refreshId)).limit(limit)
      return rows.map(({ refreshId: _, sources, ...row }) => ({ ...row, sources: sources as SourceReport[] }))
    },
  }
}
