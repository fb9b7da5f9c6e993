import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { addressInEntry } from "../../domain/lists/list-addresses.ts"
import type { Fact } from "../../domain/suppression/feedback.ts"
import { readDate } from "../../domain/suppression/read-date.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type Recorded, recordFeedback } from "./record-feedback.ts"

/** A sender whose mail has been received. */
export interface Sender {
  readonly email: string
  /** ISO 8601, a Unix timestamp, or a date in words. Null when unknown. */
  readonly receivedAt: string | number | null
}

export interface ReceivedBatch {
  /** Distinct addresses whose score is raised from now on. */
  readonly boosted: number
  readonly processed: number
  /** Processed addresses that were repaired. */
  readonly repaired: number
  /** New facts among them. */
  readonly fresh: number
  /** By processed address, the verdict that the report judged; null without one. */
  readonly judged: Recorded["judged"]
  /** Rejected entries, by their index from 0. */
  readonly rejected: readonly { readonly index: number; readonly reason: string }[]
  /** Mail received from each domain of the list, including this batch. */
  readonly domains: Readonly<Record<string, number>>
}

/** Marks addresses as confirmed, because mail from them has reached the account. */
export async function recordReceived(
  ctx: Context,
  { accountId, senders, source }: { accountId: string; senders: readonly Sender[]; source: string },
): Promise<ReceivedBatch> {
  const now = ctx.clock.now()
  const rejected: { index: number; reason: string }[] = []
  const facts = senders.flatMap((sender, index): Fact[] => {
    const read = readSender(sender, source, now)
    if (typeof read !== "string") return [read]
    rejected.push({ index, reason: read })
    return []
  })
  const { fresh, judged } = await recordFeedback(ctx, { accountId, facts, origin: "caller" })
  const names = [...new Set(facts.map(({ address }) => address.domain))]
  const counts = names.length > 0 ? await ctx.store.feedback.ofDomains(accountId, names) : []
  const received = counts.filter(({ kind }) => kind === "received")
  return {
    boosted: new Set(facts.map(({ address }) => cacheKey(address))).size,
    processed: facts.length,
    repaired: facts.filter(({ address }) => address.repaired.length > 0).length,
    fresh,
    judged,
    rejected,
    domains: Object.fromEntries(received.map(({ domain, count }) => [domain, count])),
  }
}

/** Returns the fact, or the reason for its rejection. */
function readSender({ email, receivedAt }: Sender, source: string, now: number): Fact | string {
  const address = parseAddress(addressInEntry(email))
  if (!address.ok) return `not an address: ${explainProblem(address)}`
  const at = receivedAt === null ? null : readDate(receivedAt, now)
  if (receivedAt !== null && at === null) return "received_at is not an unambiguous date"
  if (at !== null && at > now + DAY_MS) return "received_at is in the future"
  return { address, kind: "received", source, code: null, at, id: null }
}
