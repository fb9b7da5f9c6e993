import { openConnection } from "./connection.ts"
import { runSync, type SyncNeeds } from "./run-sync.ts"

/** Syncs worked on side by side, and how long one run of the schedule takes them on. */
const AT_ONCE = 4
const RUN_MS = 45_000
/** After its turn a sync goes to the end of the line. */
const TURN_MS = 15_000
const RESEALED_AT_ONCE = 20

/** Works on the syncs that are due, those of dead Workers among them, and seals anew what a former key has sealed. */
export async function sweepSyncs(needs: SyncNeeds): Promise<void> {
  const until = needs.clock.now() + RUN_MS
  await Promise.all([resealFormer(needs), ...Array.from({ length: AT_ONCE }, () => workUntil(needs, until))])
}

async function workUntil(needs: SyncNeeds, until: number): Promise<void> {
  for (let now = needs.clock.now(); now < until; now = needs.clock.now()) {
    const sync = await needs.integrationSyncs.claim({ now, leaseUntil: now + needs.bulk.leaseMs })
    if (!sync) return
    await runSync(needs, sync, Math.min(until, now + TURN_MS))
  }
}

async function resealFormer(needs: SyncNeeds): Promise<void> {
  const former = await needs.integrations.sealedOtherwise(needs.sealer.keyId, RESEALED_AT_ONCE)
  for (const integration of former) await openConnection(needs, integration)
}
