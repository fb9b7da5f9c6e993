import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import type { ParsedAddress, ValidAddress } from "../../domain/address/parse.ts"
import { type Evidence, hasMailHost, noEvidence } from "../../domain/verification/evidence.ts"
import { answers, isToStore, type Serving } from "../../domain/verification/plan.ts"
import { assess, reassess, type Verification } from "../../domain/verification/verification.ts"
import { factsOfDomains } from "./facts.ts"
import { findKnownMany, type KnownMany } from "./known.ts"
import { type ProbeTarget, probeBatch } from "./probe-mailboxes.ts"
import { type StoredFor, storeVerifications } from "./settle.ts"

export interface ManyInput {
  readonly addresses: readonly ParsedAddress[]
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly smtp: boolean
  /** The deadline, Unix ms. Addresses without a result by then are unknown. */
  readonly deadlineAt: number
  readonly priority: "interactive" | "bulk"
  readonly serve: Serving
  /** The previous evidence of a deferred address, by index. The same node and source IP probe it again. */
  readonly before?: ReadonlyMap<number, Pick<Evidence, "mailbox">>
}

export interface FoundMany {
  /** In the order given. */
  readonly verifications: Verification[]
  /** The verifications to store: a stored result is free for its next reader. */
  readonly fresh: readonly Verification[]
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

/** Time for storing and answering after the last probe, in ms. */
const CLOSING_MS = 1_500

/** Verifies a list, each address as `verify` does, and stores the results. Keeps the order of the list. */
export async function verifyMany(ctx: Context, input: ManyInput): Promise<Verification[]> {
  const { verifications, fresh, storedFor } = await findMany(ctx, input)
  await storeVerifications(ctx, fresh, storedFor)
  return verifications
}

/**
 * Verifies a list without storing the results: known → plan → gather → judge, for all addresses of a step together.
 * @param onSettled called for verifications that are final while a mail server still has to answer, each once
 */
export async function findMany(
  ctx: Context,
  input: ManyInput,
  onSettled: (settled: Settled) => void = () => undefined,
): Promise<FoundMany> {
  const startedAt = ctx.clock.now()
  const { accountId, before } = input
  const addresses = input.addresses.flatMap((address) => (address.ok ? [address] : []))
  const known = await findKnownMany(ctx, { accountId, addresses })
  const items = input.addresses.map((address): Item => {
    const verification = address.ok ? servedFrom(known, address, { serve: input.serve, now: startedAt }) : null
    return { address, verification, evidence: noEvidence(address) }
  })
  const judge = (item: Item) => {
    item.verification ??= assess(item.evidence, { cached: false, verifiedAt: startedAt })
    return item.verification
  }
  const isFresh = (verification: Verification, index: number) => {
    const { address } = items[index]!
    const previous = address.ok ? known.results.get(cacheKey(address)) : null
    return isToStore(verification, { previous, isDeferred: before?.has(index) ?? false })
  }
  const storedFor = { accountId, hidden: known.hidden, isCached: (key: string) => known.results.has(key) }

  await gatherFacts(ctx, items, input)
  if (input.smtp)
    await gatherMailboxes(ctx, items, input, (item, index) => {
      const verification = judge(item)
      onSettled({ index, verification, isFresh: isFresh(verification, index), storedFor })
    })
  const verifications = items.map(judge)
  return { verifications, fresh: verifications.filter(isFresh), storedFor }
}

/** The stored result if it may answer, else null. */
function servedFrom(
  { results, hidden }: KnownMany,
  address: ValidAddress,
  { serve, now }: { serve: Serving; now: number },
): Verification | null {
  const key = cacheKey(address)
  const result = results.get(key)
  if (!answers(result, { serve, hidesUntil: hidden.get(key) ?? 0, now })) return null
  const verification = reassess(result, address)
  return serve === "settled" && verification.verdict.status === "unknown" ? null : verification
}

async function gatherFacts(ctx: Context, items: readonly Item[], { deadlineAt }: ManyInput): Promise<void> {
  const open = items.flatMap((item) =>
    item.verification === null && item.address.ok ? [{ item, name: item.address.domain }] : [],
  )
  const domains = [...new Set(open.map(({ name }) => name))]
  const facts = await factsOfDomains(ctx, { domains, deadlineAt: deadlineAt - CLOSING_MS })
  for (const { item, name } of open) {
    const domain = facts.get(name) ?? null
    item.evidence = { ...item.evidence, domain, probeProblem: domain ? null : "deadline" }
  }
}

/**
 * Probes every item whose domain has a mail host. Items of the same mailbox share an answer.
 * @param onSettled called for items that need no probe, and for each item when its answer is final
 */
async function gatherMailboxes(
  ctx: Context,
  items: readonly Item[],
  input: ManyInput,
  onSettled: (item: Item, index: number) => void,
): Promise<void> {
  const toProbe = new Map<string, { item: Item; index: number; target: ProbeTarget }>()
  const duplicates: { item: Item; of: Item }[] = []
  for (const [index, item] of items.entries()) {
    const { address, verification, evidence } = item
    const route = evidence.domain?.route
    if (verification || !address.ok || !route || !hasMailHost(route)) {
      onSettled(item, index)
      continue
    }
    const first = toProbe.get(address.normalized)
    const before = input.before?.get(index)?.mailbox ?? null
    if (first) duplicates.push({ item, of: first.item })
    else toProbe.set(address.normalized, { item, index, target: { address, hosts: route.hosts, before } })
  }
  const probed = [...toProbe.values()]
  const deadlineMs = input.deadlineAt - CLOSING_MS - ctx.clock.now()
  for (const { item } of probed)
    item.evidence = { ...item.evidence, probeProblem: deadlineMs > 0 ? "no_node" : "deadline" }
  if (probed.length > 0 && deadlineMs > 0) {
    const { accountId, priority } = input
    const targets = probed.map(({ target }) => target)
    await probeBatch(ctx, { accountId, targets, deadlineMs, priority }, (place, mailbox, isFinal) => {
      const { item, index } = probed[place]!
      item.evidence = { ...item.evidence, mailbox, probeProblem: null }
      if (isFinal) onSettled(item, index)
    })
  }
  for (const { item, of } of duplicates)
    item.evidence = { ...item.evidence, mailbox: of.evidence.mailbox, probeProblem: of.evidence.probeProblem }
}
