import { and, eq, inArray, sql } from "drizzle-orm"
import { integrationEvents, integrationSyncs as syncs } from "../../../../schema/tables/integrations.ts"
import type { SyncState } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"
import { jsonRows } from "../json-rows.ts"
import { ownerOf } from "../owner-account.ts"
import type { IntegrationEvent } from "./integrations.ts"

export type IntegrationSync = typeof syncs.$inferSelect
type NewSync = Pick<IntegrationSync, "syncId" | "integrationId" | "accountId" | "provider" | "keyId" | "tier"> & {
  readonly now: number
}

/** The progress that one page adds to a sync. */
export type PageDone = Pick<
  IntegrationSync,
  "contacts" | "written" | "unsafe" | "undecided" | "rejected" | "credits"
> & {
  /** Cursor of the next page; null after the last page. */
  readonly next: string | null
}

/** Why a sync pauses. */
export type Pause = Pick<IntegrationSync, "detail" | "failures" | "dueAt"> & {
  readonly state: Exclude<SyncState, "complete">
}

const START_TRIES = 3
const WORKABLE = ["queued", "running", "waiting"] as const
const STOPPED = ["out_of_credits", "failed"] as const

/** The current plan, which may have changed since the start. For a replaced or revoked key, the tier at the start. */
const TIER_NOW = sql`coalesce(CASE WHEN integration_syncs.key_id IS NULL
    THEN (SELECT a.tier FROM accounts AS a WHERE a.account_id = integration_syncs.account_id)
    ELSE (SELECT k.tier FROM api_keys AS k WHERE k.key_id = integration_syncs.key_id AND k.is_active = 1)
  END, integration_syncs.tier)`

/** Syncs of contacts. A write without the current lease is ignored. */
export function createSyncStore(database: Database) {
  const isLeased = ({ syncId, leaseEpoch }: IntegrationSync) =>
    and(eq(syncs.syncId, syncId), eq(syncs.leaseEpoch, leaseEpoch), inArray(syncs.state, [...WORKABLE]))

  async function openOf(integrationId: string): Promise<IntegrationSync | null> {
    const open = and(eq(syncs.integrationId, integrationId), sql`${syncs.state} <> 'complete'`)
    return (await database.select().from(syncs).where(open))[0] ?? null
  }

  return {
    /** The incomplete sync, if any. */
    openOf,

    /** Starts a sync or returns the incomplete one. @returns whether it is new */
    async start({ now, ...sync }: NewSync): Promise<{ readonly sync: IntegrationSync; readonly isNew: boolean }> {
      for (let tries = 0; tries < START_TRIES; tries++) {
        const [added] = await database
          .insert(syncs)
          .values({ ...sync, state: "queued", dueAt: now, createdAt: now, updatedAt: now })
          .onConflictDoNothing()
          .returning()
        if (added) return { sync: added, isNew: true }
        // The conflicting sync may have completed meanwhile.
        const open = await openOf(sync.integrationId)
        if (open) return { sync: open, isNew: false }
      }
      throw new Error("a sync could neither be started nor found")
    },

    /** Restarts a stopped sync at its position or at the beginning. @returns null when it is not stopped */
    async resume(
      syncId: string,
      { keyId, tier, now, fromStart }: Pick<NewSync, "keyId" | "tier" | "now"> & { readonly fromStart: boolean },
    ): Promise<IntegrationSync | null> {
      const stopped = and(eq(syncs.syncId, syncId), inArray(syncs.state, [...STOPPED]))
      const restart = fromStart
        ? { cursor: null, pages: 0, contacts: 0, written: 0, unsafe: 0, undecided: 0, rejected: 0, credits: 0 }
        : {}
      const [resumed] = await database
        .update(syncs)
        .set({
          ...restart,
          keyId,
          tier,
          state: "queued",
          detail: null,
          failures: 0,
          dueAt: now,
          updatedAt: now,
          resumes: sql`${syncs.resumes} + 1`,
        })
        .where(stopped)
        .returning()
      return resumed ?? null
    },

    /** The newest sync of each integration. */
    async latest(accountId: string): Promise<IntegrationSync[]> {
      const newest = sql`${syncs.syncId} = (SELECT s.sync_id FROM integration_syncs AS s
        WHERE s.account_id = ${accountId} AND s.integration_id = ${syncs.integrationId}
        ORDER BY s.created_at DESC, s.sync_id DESC LIMIT 1)`
      return database
        .select()
        .from(syncs)
        .where(and(eq(syncs.accountId, accountId), newest))
    },

    /** Leases the sync that has been due the longest. Syncs of suspended accounts wait. */
    async claim({
      now,
      leaseUntil,
    }: {
      readonly now: number
      readonly leaseUntil: number
    }): Promise<IntegrationSync | null> {
      const isDue = sql`state IN ('queued', 'running', 'waiting') AND due_at <= ${now} AND NOT EXISTS (
        SELECT 1 FROM accounts AS a WHERE a.account_id = ${ownerOf(sql`integration_syncs.account_id`)} AND a.suspended_at IS NOT NULL)`
      const [claimed] = await database
        .update(syncs)
        .set({
          state: "running",
          tier: TIER_NOW,
          dueAt: leaseUntil,
          leaseEpoch: sql`${syncs.leaseEpoch} + 1`,
          updatedAt: now,
        })
        .where(
          and(
            sql`${syncs.syncId} = (SELECT sync_id FROM integration_syncs WHERE ${isDue} ORDER BY due_at LIMIT 1)`,
            isDue,
          ),
        )
        .returning()
      return claimed ?? null
    },

    /** Extends the leases of running syncs in one statement. Leases that were lost stay lost. */
    async renew(leased: readonly Pick<IntegrationSync, "syncId" | "leaseEpoch">[], leaseUntil: number) {
      const rows = jsonRows(leased, "syncId", "leaseEpoch")
      await database.run(sql`WITH s AS MATERIALIZED (
          SELECT value ->> 0 AS sync_id, value ->> 1 AS lease_epoch FROM json_each(${rows}))
        UPDATE integration_syncs SET due_at = ${leaseUntil} FROM s
        WHERE integration_syncs.sync_id = s.sync_id AND integration_syncs.lease_epoch = s.lease_epoch
          AND state = 'running'`)
    },

    /** Writes a page and its event. @returns the updated sync; null when the lease was lost */
    async advance(
      sync: IntegrationSync,
      page: PageDone,
      {
        now,
        leaseUntil,
        event,
      }: { readonly now: number; readonly leaseUntil: number; readonly event: IntegrationEvent },
    ): Promise<IntegrationSync | null> {
      const isLast = page.next === null
      const [advanced] = await database.batch([
        database
          .update(syncs)
          .set({
            cursor: page.next,
            state: isLast ? "complete" : "running",
            pages: sql`${syncs.pages} + 1`,
            contacts: sql`${syncs.contacts} + ${page.contacts}`,
            written: sql`${syncs.written} + ${page.written}`,
            unsafe: sql`${syncs.unsafe} + ${page.unsafe}`,
            undecided: sql`${syncs.undecided} + ${page.undecided}`,
            rejected: sql`${syncs.rejected} + ${page.rejected}`,
            credits: sql`${syncs.credits} + ${page.credits}`,
            failures: 0,
            detail: null,
            dueAt: leaseUntil,
            updatedAt: now,
            completedAt: isLast ? now : null,
          })
          .where(isLeased(sync))
          .returning(),
        database.insert(integrationEvents).values(event),
      ])
      return advanced[0] ?? null
    },

    async pause(sync: IntegrationSync, { now, ...pause }: Pause & { readonly now: number }): Promise<boolean> {
      const paused = await database
        .update(syncs)
        .set({ ...pause, updatedAt: now })
        .where(isLeased(sync))
        .returning({ syncId: syncs.syncId })
      return paused.length === 1
    },
  }
}
