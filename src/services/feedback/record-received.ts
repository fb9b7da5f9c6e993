import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Fact } from "../../domain/feedback/fact.ts"
import { readDate } from "../../domain/feedback/read-date.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type RecordNeeds, recordFeedback } from "./record-feedback.ts"

/** A sender whose mail has been received. */
export interface Sender {
  readonly email: string
  /** ISO 8601, a Unix timestamp, or a date in words; null when it is not known. */
  readonly receivedAt: string | number | null
}

export interface ReceivedBatch {
  /** Distinct addresses whose score is raised from now on. */
  readonly boosted: number
  readonly processed: number
  /** Of them, those that had not been known. */
  readonly fresh: number
  /** Places in the list, from 0, that were left out. */
  readonly rejected: readonly { readonly index: number; readonly reason: string }[]
  /** Mail received from each domain of the list, this batch included. */
  readonly domains: Readonly<Record<string, number>>
}

/** Marks addresses as confirmed: mail from them has reached the account. */
export async function recordReceived(
  needs: RecordNeeds,
  { accountId, senders, source }: { accountId: string; senders: readonly Sender[]; source: string },
): Promise<ReceivedBatch> {
  const now = needs.clock.now()
  const rejected: { index: number; reason: string }[] = []
  const facts = senders.flatMap((sender, index): Fact[] => {
    const read = readSender(sender, source, now)
    if (typeof read !== "string") return [read]
    rejected.push({ index, reason: read })
    return []
  })
  const { fresh } = await recordFeedback(needs, { accountId, facts, origin: "caller" })
  const names = [...new Set(facts.map(({ address }) => address.domain))]
  const counts = names.length > 0 ? await needs.feedback.ofDomains(accountId, names) : []
  const received = counts.filter(({ kind }) => kind === "received")
  return {
    boosted: new Set(facts.map(({ address }) => cacheKey(address))).size,
    processed: facts.length,
    fresh,
    rejected,
    domains: Object.fromEntries(received.map(({ domain, count }) => [domain, count])),
  }
}

/** The fact, or in words why there is none. */
function readSender({ email, receivedAt }: Sender, source: string, now: number): Fact | string {
  const address = parseAddress(email)
  if (!address.ok) return `not an address: ${address.message}`
  const at = receivedAt === null ? null : readDate(receivedAt, now)
  if (receivedAt !== null && at === null) return "received_at is not a date that can be read without guessing"
  if (at !== null && at > now + DAY_MS) return "received_at is in the future"
  return { address, kind: "received", source, code: null, at, id: null }
}
