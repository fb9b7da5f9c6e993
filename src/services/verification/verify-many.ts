import type { StoredResult } from "../../adapters/store/results/results.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { type ParsedAddress, parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { type HiddenUntil, isHiddenAmong } from "../../domain/feedback/flags.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { hasNoServerAnswer } from "../../domain/verdict/next-attempt.ts"
import { assess, reassess, type Verification } from "../../domain/verdict/verification.ts"
import { findHidden } from "../suppression/find-flags.ts"
import { factsOfDomains } from "./domain-facts.ts"
import { type ProbeTarget, probeBatch } from "./mailbox-probe.ts"
import { type StoredFor, storeVerifications } from "./stored-results.ts"

export interface ManyInput {
  readonly emails: readonly string[]
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly smtp: boolean
  /** The deadline, Unix ms. Addresses without a result by then are unknown. */
  readonly deadlineAt: number
  readonly priority: "interactive" | "bulk"
  /** Which stored results replace a probe. */
  readonly serve: "nothing" | "fresh" | "settled"
  /** The previous evidence of an address, by index. The same node and source IP probe it again. */
  readonly before?: ReadonlyMap<number, Pick<Evidence, "mailbox">>
}

export interface FoundMany {
  /** In the order given. */
  readonly verifications: Verification[]
  /** The verifications to store: a stored result is free for its next reader. */
  readonly fresh: readonly Verification[]
  /** The account that they are stored for, and whether a cache key had a result before, fresh or not. */
  readonly storedFor: StoredFor
}

/** A verification that is final while others of its list are still pending. */
export interface Settled {
  /** Its place in the list. */
  readonly index: number
  readonly verification: Verification
  /** Whether to store it, as in `FoundMany.fresh`. */
  readonly isFresh: boolean
  readonly storedFor: StoredFor
}

interface Item {
  readonly address: ParsedAddress
  verification: Verification | null
  evidence: Evidence
}

type OpenItem = Item & { readonly address: ValidAddress }

/** Time for storing and answering after the last probe, in ms. */
const CLOSING_MS = 1_500

/** Verifies a list, each address as `verify` does, and stores the results. Keeps the order of the list. */
export async function verifyMany(ctx: Context, input: ManyInput): Promise<Verification[]> {
  const { verifications, fresh, storedFor } = await findMany(ctx, input)
  await storeVerifications(ctx, fresh, storedFor)
  return verifications
}

/**
 * Verifies a list without storing the results: stored results → facts of each domain → mailboxes → verdicts.
 * @param onSettled called for verifications that are final while a mail server still has to answer, each once
 */
export async function findMany(
  ctx: Context,
  input: ManyInput,
  onSettled: (settled: Settled) => void = () => undefined,
): Promise<FoundMany> {
  const startedAt = ctx.clock.now()
  const items = input.emails.map(begin)
  const addresses = items.flatMap(({ address }) => (address.ok ? [address] : []))
  const [stored, hidden] = await Promise.all([
    ctx.store.resultLists.among([...new Set(addresses.map(cacheKey))]),
    findHidden(ctx, { accountId: input.accountId, addresses }),
  ])
  if (input.serve !== "nothing") serveStored(items, { input, stored, hidden, now: startedAt })

  const settle = (item: Item) => {
    item.verification ??= assess(item.evidence, { cached: false, verifiedAt: startedAt })
    return item.verification
  }
  // A failed probe replaces neither a fresh result nor a deferral: the recheck needs the deferral's node and source IP.
  const outlasts = ({ address }: Item, index: number) =>
    input.before?.has(index) || (address.ok && (stored.get(cacheKey(address))?.expiresAt ?? 0) > startedAt)
  const isFresh = ({ cached, verdict }: Verification, index: number) =>
    !cached && !(hasNoServerAnswer(verdict) && outlasts(items[index]!, index))
  const storedFor = { accountId: input.accountId, hidden, isCached: (key: string) => stored.has(key) }

  await lookUpDomains(ctx, items.filter(isOpen), input)
  if (input.smtp)
    await askMailboxes(ctx, items, input, (item, index) => {
      const verification = settle(item)
      onSettled({ index, verification, isFresh: isFresh(verification, index), storedFor })
    })
  const verifications = items.map(settle)
  return { verifications, fresh: verifications.filter(isFresh), storedFor }
}

function begin(email: string): Item {
  const address = parseAddress(email)
  return { address, verification: null, evidence: noEvidence(address) }
}

function isOpen(item: Item): item is OpenItem {
  return item.verification === null && item.address.ok
}

interface Serving {
  readonly input: ManyInput
  readonly stored: ReadonlyMap<string, StoredResult>
  readonly hidden: HiddenUntil
  /** Unix milliseconds. */
  readonly now: number
}

function serveStored(items: readonly Item[], { input, stored, hidden, now }: Serving): void {
  for (const item of items) {
    const { address } = item
    const key = address.ok ? cacheKey(address) : ""
    const result = stored.get(key)
    if (!result || result.expiresAt <= now) continue
    if (isHiddenAmong(hidden, key, result.verifiedAt)) continue
    const verification = reassess(result, address)
    if (input.serve === "fresh" || verification.verdict.status !== "unknown") item.verification = verification
  }
}

async function lookUpDomains(ctx: Context, open: readonly OpenItem[], { deadlineAt }: ManyInput): Promise<void> {
  const domains = [...new Set(open.map(({ address }) => address.domain))]
  const facts = await factsOfDomains(ctx, { domains, deadlineAt: deadlineAt - CLOSING_MS })
  for (const item of open) {
    const domain = facts.get(item.address.domain) ?? null
    item.evidence = { ...item.evidence, domain, probeProblem: domain ? null : "deadline" }
  }
}

/**
 * Probes every item whose domain has a mail host. Items of the same mailbox share an answer.
 * @param onSettled called for items that need no probe, and for each item when its answer is final
 */
async function askMailboxes(
  ctx: Context,
  items: readonly Item[],
  input: ManyInput,
  onSettled: (item: Item, index: number) => void,
): Promise<void> {
  const askable = new Map<string, { item: Item; index: number; target: ProbeTarget }>()
  const alike: { item: Item; of: Item }[] = []
  for (const [index, item] of items.entries()) {
    const { address, verification, evidence } = item
    const route = evidence.domain?.route
    if (verification || !address.ok || !route || !hasMailHost(route)) {
      onSettled(item, index)
      continue
    }
    const known = askable.get(address.normalized)
    const before = input.before?.get(index)?.mailbox ?? null
    if (known) alike.push({ item, of: known.item })
    else askable.set(address.normalized, { item, index, target: { address, hosts: route.hosts, before } })
  }
  const asked = [...askable.values()]
  const deadlineMs = input.deadlineAt - CLOSING_MS - ctx.clock.now()
  for (const { item } of asked)
    item.evidence = { ...item.evidence, probeProblem: deadlineMs > 0 ? "no_node" : "deadline" }
  if (asked.length === 0 || deadlineMs <= 0) return
  const targets = asked.map(({ target }) => target)
  await probeBatch(
    ctx,
    { accountId: input.accountId, targets, deadlineMs, priority: input.priority },
    (place, mailbox, isFinal) => {
      const { item, index } = asked[place]!
      item.evidence = { ...item.evidence, mailbox, probeProblem: null }
      if (isFinal) onSettled(item, index)
    },
  )
  for (const { item, of } of alike)
    item.evidence = { ...item.evidence, mailbox: of.evidence.mailbox, probeProblem: of.evidence.probeProblem }
}
