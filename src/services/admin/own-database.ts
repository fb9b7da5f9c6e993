import type { InstallationRow } from "../../adapters/store/admin/installation.ts"
import type { Context } from "../../context.ts"
import { foreignDatabase, type Ownership, ownershipOf, ownSecrets } from "../../domain/admin/installation.ts"
import { AppError } from "../../errors.ts"

/** The database is read again after this time when it was foreign or did not answer. */
const RETRY_MS = 5_000

/**
 * Refuses to work with a database of another installation: all keys would be unknown, and new rows unreadable for that
 * installation. The first request of an isolate reads it. A database that does not answer is not refused here.
 * @returns null when this isolate knows already that the database is its own
 * @throws AppError unavailable, with the reason for the operator's log as its cause
 */
export function requireOwnDatabase(ctx: Context): Promise<void> | null {
  return ctx.databaseMemory.ownership === "own" ? null : readOwnership(ctx)
}

async function readOwnership(ctx: Context): Promise<void> {
  const { databaseMemory: memory, clock } = ctx
  if (clock.now() - memory.refusedAt >= RETRY_MS) {
    try {
      const row = await ctx.store.installation.read()
      if (row) await recognize(ctx, row)
      else memory.refusedAt = clock.now()
    } catch {
      // The call itself reports the outage, where it needs the database at all.
      memory.refusedAt = clock.now()
    }
  }
  if (memory.ownership !== "foreign") return
  throw new AppError("unavailable", "the service is not ready: its database belongs to another installation", {
    cause: new Error(memory.explanation),
    retryAfterSeconds: 30,
  })
}

/** Decides whether the database belongs to this service, and records the secrets of the first or changed service in it. */
export async function recognize(ctx: Context, row: InstallationRow): Promise<Ownership> {
  const { databaseMemory: memory, store, clock, log } = ctx
  const own = await ownSecrets(ctx.digests, ctx.config.edgePublicKey)
  let [ownership, recorded] = [ownershipOf(row, own), row]
  if (ownership === "unrecorded") {
    // A database that accepts no writes still belongs to this service. The next isolate records it.
    const isRecorded = await store.installation.record(own).catch(() => true)
    recorded = isRecorded ? row : ((await store.installation.read()) ?? row)
    ownership = isRecorded ? "own" : ownershipOf(recorded, own)
    if (isRecorded) log("installation_recorded", { signing_key_before: row.signingKey, signing_key: own.signingKey })
  }
  memory.ownership = ownership
  memory.explanation = ownership === "foreign" ? foreignDatabase(recorded) : ""
  if (ownership === "foreign") memory.refusedAt = clock.now()
  return ownership
}
