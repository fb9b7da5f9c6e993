import type { ContactBook } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync, PageDone } from "../../adapters/store/integrations/integration-syncs.ts"
import type { Context } from "../../context.ts"
import { CREDITS, periodOf } from "../../domain/accounts/tiers.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import type { ProviderFailure } from "../../domain/integrations/provider.ts"
import { type Contact, findingOf, WROTE_NOTHING_TEXTS, wroteNothing } from "../../domain/integrations/sync.ts"
import { RUN_LEASE } from "../../domain/lease.ts"
import { mailboxOf } from "../../domain/lists/list-addresses.ts"
import { accountFlagsIn } from "../../domain/suppression/flags.ts"
import { answerOf, type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { pricesFor } from "../accounts/charge.ts"
import { findManyAccountFlags } from "../suppression/flags.ts"
import { readSummaries } from "../verification/known.ts"
import { storeVerifications } from "../verification/settle.ts"
import { findMany } from "../verification/verify-many.ts"
import { createEvent } from "./connection.ts"

type PageEnd =
  /** The sync after this page. */
  | { readonly kind: "advanced"; readonly sync: IntegrationSync }
  /** Another Worker has claimed the sync, or it was deleted. */
  | { readonly kind: "lost" }
  | { readonly kind: "out_of_credits"; readonly needed: number }
  | { readonly kind: "failure"; readonly failure: ProviderFailure }

/** Probing takes at most this long. */
const PASS_MS = 30_000

/** Reads a page of contacts, verifies it, writes the findings back and moves the cursor. Safe to repeat. */
export async function syncPage(
  ctx: Context,
  { sync, book }: { sync: IntegrationSync; book: ContactBook },
): Promise<PageEnd> {
  const startedAt = ctx.clock.now()
  const page = await book.page(sync.cursor)
  if (!page.ok) return { kind: "failure", failure: page.failure }
  const { contacts, next } = page.value
  const bought = await verifyContacts(ctx, sync, contacts)
  if (bought.kind === "out_of_credits") return bought
  const found = contacts.map((contact) => findingOf(contact, bought.verified.get(keyOf(contact))!))
  const findings = found.filter((finding) => finding !== null)
  const written = await book.write(findings)
  if (!written.ok) return { kind: "failure", failure: written.failure }

  const { rejected, code } = written.value
  const done = {
    next,
    rejected,
    contacts: contacts.length,
    written: written.value.written,
    credits: bought.credits,
    unsafe: findings.filter(({ isUnsafe }) => isUnsafe).length,
    undecided: contacts.length - findings.length,
  }
  const refusal = rejected > 0 ? `${rejected} contacts were rejected${code === null ? "" : ` (${code})`}` : null
  const event = createEvent(ctx, {
    integrationId: sync.integrationId,
    accountId: sync.accountId,
    syncId: sync.syncId,
    startedAt,
    kind: next === null ? "sync_completed" : "page_synced",
    outcome: rejected > 0 ? "refused" : "ok",
    contacts: contacts.length,
    detail: refusal ?? textOfNothing(sync, done),
  })
  const now = ctx.clock.now()
  const advanced = await ctx.store.integrationSyncs.advance(sync, done, {
    now,
    event,
    leaseUntil: now + RUN_LEASE.ms,
  })
  if (!advanced) return { kind: "lost" }
  await ctx.store.history.count(
    { accountId: sync.accountId, keyId: sync.keyId },
    [...bought.verified.values()].map(answerOf),
    now,
  )
  return { kind: "advanced", sync: advanced }
}

/** The text of a page that ends a sync without any written contact; null for other pages. */
function textOfNothing(
  sync: IntegrationSync,
  { next, contacts, written, undecided, rejected }: PageDone,
): string | null {
  const nothing = wroteNothing({
    state: next === null ? "complete" : "running",
    contacts: sync.contacts + contacts,
    written: sync.written + written,
    undecided: sync.undecided + undecided,
    rejected: sync.rejected + rejected,
  })
  return nothing && WROTE_NOTHING_TEXTS[nothing]
}

type Bought =
  | { readonly kind: "verified"; readonly verified: ReadonlyMap<string, Verification>; readonly credits: number }
  | { readonly kind: "out_of_credits"; readonly needed: number }

/** Verifies each mailbox once. Stored results are free. */
async function verifyContacts(ctx: Context, sync: IntegrationSync, contacts: readonly Contact[]): Promise<Bought> {
  if (contacts.length === 0) return { kind: "verified", verified: new Map(), credits: 0 }
  const { accountId } = sync
  const byKey = new Map(
    contacts.map(({ email }) => parseAddress(email)).map((address) => [mailboxOf(address), address]),
  )
  const addresses = [...byKey.values()]
  const needed = await countToPay(ctx, { accountId, addresses })
  if (!(await reservePage(ctx, sync, needed))) return { kind: "out_of_credits", needed }
  const deadlineAt = ctx.clock.now() + PASS_MS
  const many = { addresses, accountId, smtp: true, deadlineAt, priority: "bulk", serve: "settled" } as const
  const { verifications: found, fresh, storedFor } = await findMany(ctx, many)
  const credits = Math.min(needed, pricesFor(ctx, accountId).of(found))
  // Charged before the write: otherwise a repeated page would be free.
  await ctx.store.charges.settle(chargeOf(sync), credits)
  // A deleted integration deletes its sync, and the charge is settled with 0.
  const open = await ctx.store.integrationSyncs.openOf(sync.integrationId)
  if (open?.syncId === sync.syncId) await storeVerifications(ctx, fresh, storedFor)
  const wellFormed = addresses.filter((address) => address.ok)
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses: wellFormed })
  const own = found.map((one) => withAccountFlags(one, accountFlagsIn(flagsByKey, one.evidence.address)))
  return { kind: "verified", verified: new Map([...byKey.keys()].map((key, index) => [key, own[index]!])), credits }
}

/** Counts the addresses that need a new verification. A stored "unknown" and a hidden result count as missing. */
async function countToPay(
  ctx: Context,
  { accountId, addresses }: { accountId: string; addresses: readonly ParsedAddress[] },
): Promise<number> {
  const wellFormed = addresses.filter((address) => address.ok)
  const stored = await readSummaries(ctx, { accountId, addresses: wellFormed })
  const isServed = (key: string) => stored.has(key) && stored.get(key)?.status !== "unknown"
  const { isFree } = pricesFor(ctx, accountId)
  return wellFormed.filter((address) => !isFree(address) && !isServed(mailboxOf(address))).length
}

function keyOf({ email }: Contact): string {
  return mailboxOf(parseAddress(email))
}

/** The charge id of a page, so that a repeat after a crash does not charge twice. */
export function chargeOf({ syncId, resumes, pages }: Pick<IntegrationSync, "syncId" | "resumes" | "pages">): string {
  return `${syncId}.${resumes}.${pages}`
}

/** Reserves the highest cost of a page from the account's month or credits. @returns false when they do not suffice */
async function reservePage(ctx: Context, sync: IntegrationSync, addresses: number): Promise<boolean> {
  if (addresses === 0) return true
  const now = ctx.clock.now()
  const { charges, leases } = ctx.store
  const reservation = await charges.reserve(
    {
      chargeId: chargeOf(sync),
      subject: sync.accountId,
      limit: ctx.config.limits.table[sync.tier].perMonth,
      keyId: sync.keyId,
      period: periodOf(now),
      credits: addresses * CREDITS.verification,
      kind: "job",
    },
    now,
    (open) => ctx.keyLimiters.recall(open, leases),
  )
  return reservation.granted
}
