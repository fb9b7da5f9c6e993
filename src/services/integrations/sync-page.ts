import type { ContactBook } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync } from "../../adapters/store/integration-syncs.ts"
import { type Deps, replacing } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { mailboxOf } from "../../domain/bulk/unique.ts"
import { type Contact, findingOf } from "../../domain/integrations/finding.ts"
import type { Trouble } from "../../domain/integrations/trouble.ts"
import { standingAmong } from "../../domain/suppression/mark.ts"
import { type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { findStandings, type StandingNeeds } from "../suppression/find-standing.ts"
import { storeVerifications } from "../verification/store-verifications.ts"
import { findMany, type VerifyManyNeeds } from "../verification/verify-many.ts"
import { type EventNeeds, newEvent } from "./note-event.ts"
import { chargeOf, reservePage } from "./page-charge.ts"

export type PageNeeds = VerifyManyNeeds &
  StandingNeeds &
  EventNeeds &
  Pick<Deps, "charges" | "limits" | "bulk" | "integrationSyncs" | "history">

export type PageEnd =
  /** The sync as it stands now. */
  | { readonly kind: "advanced"; readonly sync: IntegrationSync }
  /** Somebody else has taken it over, or it is no more. */
  | { readonly kind: "lost" }
  | { readonly kind: "out_of_credits"; readonly needed: number }
  | { readonly kind: "trouble"; readonly trouble: Trouble }

/** Asking takes at most this long; a lease holds for longer. */
const PASS_MS = 30_000

/** Reads a page of contacts, verifies it, writes back what was found and moves the cursor. Doing it again does no harm. */
export async function syncPage(
  needs: PageNeeds,
  { sync, book }: { sync: IntegrationSync; book: ContactBook },
): Promise<PageEnd> {
  const startedAt = needs.clock.now()
  const page = await book.page(sync.cursor)
  if (!page.ok) return { kind: "trouble", trouble: page.trouble }
  const { contacts, next } = page.value
  const bought = await verifyContacts(needs, sync, contacts)
  if (bought.kind === "out_of_credits") return bought
  const found = contacts.map((contact) => findingOf(contact, bought.verified.get(keyOf(contact))!))
  const findings = found.filter((finding) => finding !== null)
  const written = await book.write(findings)
  if (!written.ok) return { kind: "trouble", trouble: written.trouble }

  const { rejected, code } = written.value
  const event = newEvent(needs, {
    ...{ integrationId: sync.integrationId, accountId: sync.accountId, syncId: sync.syncId, startedAt },
    ...{ kind: next === null ? "sync_completed" : "page_synced", outcome: rejected > 0 ? "refused" : "ok" },
    contacts: contacts.length,
    detail: rejected > 0 ? `${rejected} contacts were not taken${code === null ? "" : ` (${code})`}` : null,
  })
  const now = needs.clock.now()
  const done = {
    ...{ next, rejected, contacts: contacts.length, written: written.value.written, credits: bought.credits },
    unsafe: findings.filter(({ isUnsafe }) => isUnsafe).length,
    undecided: contacts.length - findings.length,
  }
  const advanced = await needs.integrationSyncs.advance(sync, done, {
    ...{ now, event },
    leaseUntil: now + needs.bulk.leaseMs,
  })
  if (!advanced) return { kind: "lost" }
  const answers = [...bought.verified.values()].map(({ verdict, cached }) => ({ status: verdict.status, cached }))
  await needs.history.count(sync.accountId, answers, now)
  return { kind: "advanced", sync: advanced }
}

type Bought =
  | { readonly kind: "verified"; readonly verified: ReadonlyMap<string, Verification>; readonly credits: number }
  | { readonly kind: "out_of_credits"; readonly needed: number }

/** Verifies each mailbox once; what the store knows costs nothing. */
async function verifyContacts(needs: PageNeeds, sync: IntegrationSync, contacts: readonly Contact[]): Promise<Bought> {
  if (contacts.length === 0) return { kind: "verified", verified: new Map(), credits: 0 }
  const byKey = new Map(contacts.map((contact) => [keyOf(contact), contact.email]))
  const stored = await needs.resultLists.briefsAmong([...byKey.keys()], needs.clock.now())
  const needed = [...byKey].filter(([key, email]) => isToPay(email, stored.get(key))).length
  if (!(await reservePage(needs, sync, needed))) return { kind: "out_of_credits", needed }
  const emails = [...byKey.values()]
  const wallAt = needs.clock.now() + Math.min(PASS_MS, needs.bulk.leaseMs * 0.6)
  const asAccount = replacing(needs, { probes: needs.probes.forAccount(sync.accountId) })
  const many = { emails, smtp: true, wallAt, priority: "bulk", serve: "settled" } as const
  const { verifications: found, fresh, wasStored } = await findMany(asAccount, many)
  const credits = Math.min(needed, creditsFor(found))
  // Paid for before it is known, or a page that is tried again would cost nothing.
  await needs.charges.settle(chargeOf(sync), credits)
  // With its integration the sync goes, and its charge comes to nothing.
  const open = await needs.integrationSyncs.openOf(sync.integrationId)
  if (open?.syncId === sync.syncId) await storeVerifications(needs, fresh, wasStored)
  const addresses = found.flatMap(({ evidence: { address } }) => (address.ok ? [address] : []))
  const standings = await findStandings(needs, { accountId: sync.accountId, addresses })
  const own = found.map((one) => withStanding(one, standingAmong(standings, one.evidence.address)))
  return { kind: "verified", verified: new Map([...byKey.keys()].map((key, index) => [key, own[index]!])), credits }
}

/** A stored "unknown" is asked again. */
function isToPay(email: string, stored: { readonly status: string } | undefined): boolean {
  return parseAddress(email).ok && (stored === undefined || stored.status === "unknown")
}

function keyOf({ email }: Contact): string {
  return mailboxOf(parseAddress(email))
}
