import type { ContactBook } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync, Pause } from "../../adapters/store/integration-syncs.ts"
import { type Trouble, troubled, waitAfter } from "../../domain/integrations/trouble.ts"
import { type ConnectionNeeds, contactBookOf, isSender, openConnection } from "./connection.ts"
import { newEvent } from "./note-event.ts"
import { chargeOf } from "./page-charge.ts"
import { type PageNeeds, syncPage } from "./sync-page.ts"
import { CANNOT_OPEN } from "./test-connection.ts"

export type SyncNeeds = PageNeeds & ConnectionNeeds

/** Works on a sync that was taken up, page by page, until it ends or its turn does. Never throws. @param until Unix ms */
export async function runSync(needs: SyncNeeds, claimed: IntegrationSync, until: number): Promise<void> {
  let sync = claimed
  try {
    const book = await openBook(needs, sync)
    if (!book) return
    const prepared = sync.cursor === null ? await book.prepare() : null
    if (prepared?.ok === false) return await onTrouble(needs, sync, prepared.trouble)
    do {
      const end = await syncPage(needs, { sync, book })
      if (end.kind === "lost") return
      if (end.kind === "trouble") return await onTrouble(needs, sync, end.trouble)
      if (end.kind === "out_of_credits") return await stopWithoutCredits(needs, sync, end.needed)
      sync = end.sync
      if (sync.state === "complete") return
    } while (needs.clock.now() < until)
    await pause(needs, sync, { state: "running", detail: null, failures: 0, dueAt: needs.clock.now() })
  } catch (error) {
    needs.log("sync_failed", { sync: sync.syncId, error: (error as Error).message })
    await onTrouble(needs, sync, OURS).catch(() => undefined)
  }
}

/** Whatever went wrong on our side passes, or is mended. */
const { trouble: OURS } = troubled({ outcome: "unreachable", detail: "an error on our side" })

/** Null when there is nothing left to sync. */
async function openBook(needs: SyncNeeds, sync: IntegrationSync): Promise<ContactBook | null> {
  const integration = await needs.integrations.find(sync.integrationId, sync.accountId)
  // It was deleted while the sync was being started: nobody would end it any more.
  if (!integration) {
    await pause(needs, sync, { state: "failed", detail: "the integration is gone", failures: 0, dueAt: 0 })
    return null
  }
  const connection = await openConnection(needs, integration)
  if (connection && !isSender(connection)) return contactBookOf(needs, connection, integration.integrationId)
  await onTrouble(needs, sync, troubled({ outcome: "unauthorized", detail: CANNOT_OPEN }).trouble)
  return null
}

async function onTrouble(needs: SyncNeeds, sync: IntegrationSync, trouble: Trouble): Promise<void> {
  const failures = sync.failures + 1
  const wait = waitAfter(trouble, failures)
  const { outcome, httpStatus, detail } = trouble
  const dueAt = needs.clock.now() + (wait ?? 0)
  const held = await pause(needs, sync, { state: wait === null ? "failed" : "waiting", detail, failures, dueAt })
  if (!held) return
  if (wait === null) await needs.charges.settle(chargeOf(sync), 0)
  await note(needs, sync, { kind: wait === null ? "sync_stopped" : "page_synced", outcome, httpStatus, detail })
}

async function stopWithoutCredits(needs: SyncNeeds, sync: IntegrationSync, needed: number): Promise<void> {
  const detail = `the next page needs ${needed} credits; start the sync again when there are, and it goes on from here`
  const stop = { state: "out_of_credits", detail, failures: 0, dueAt: needs.clock.now() } as const
  if (await pause(needs, sync, stop))
    await note(needs, sync, { kind: "sync_stopped", outcome: "out_of_credits", detail })
}

function pause(needs: SyncNeeds, sync: IntegrationSync, how: Pause): Promise<boolean> {
  return needs.integrationSyncs.pause(sync, { ...how, now: needs.clock.now() })
}

async function note(
  needs: SyncNeeds,
  { integrationId, accountId, syncId }: IntegrationSync,
  about: Omit<Parameters<typeof newEvent>[1], "integrationId" | "accountId">,
): Promise<void> {
  await needs.integrations.note(newEvent(needs, { integrationId, accountId, syncId, ...about }))
}
