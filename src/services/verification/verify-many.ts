import type { StoredResult } from "../../adapters/store/results.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { type ParsedAddress, parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { Evidence } from "../../domain/verdict/evidence.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { isTrouble } from "../../domain/verdict/recheck.ts"
import { assess, reassess, type Verification } from "../../domain/verdict/verification.ts"
import { type FactsOfManyNeeds, factsOfDomains } from "./facts-of-domains.ts"
import { type ProbeNeeds, type ProbeTarget, probeBatch } from "./probe-batch.ts"
import { type StoreNeeds, storeVerifications } from "./store-verifications.ts"

export type VerifyManyNeeds = FactsOfManyNeeds & ProbeNeeds & StoreNeeds

export interface ManyInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  /** Hard wall, Unix ms: what is not known by then comes back unknown. */
  readonly wallAt: number
  readonly priority: "interactive" | "bulk"
  /** What a stored result must be to be served instead of asking. */
  readonly serve: "nothing" | "fresh" | "settled"
  /** What was found about an address before, by its place; it is asked from the same node and source IP again. */
  readonly before?: ReadonlyMap<number, Evidence>
}

export interface FoundMany {
  /** In the order given. */
  readonly verifications: Verification[]
  /** Those of them that are to be stored: a stored result costs its next reader nothing. */
  readonly fresh: readonly Verification[]
  /** Whether there was a result under a cache key before, fresh or not. */
  readonly wasStored: (key: string) => boolean
}

interface Item {
  readonly address: ParsedAddress
  verification: Verification | null
  evidence: Evidence
}

type OpenItem = Item & { readonly address: ValidAddress }

/** Time left for storing and answering after the last probe, in ms. */
const CLOSING_MS = 1_500

/** Verifies a list, each address as `verify` does, and stores what was found. In the order given. */
export async function verifyMany(needs: VerifyManyNeeds, input: ManyInput): Promise<Verification[]> {
  const { verifications, fresh, wasStored } = await findMany(needs, input)
  await storeVerifications(needs, fresh, wasStored)
  return verifications
}

/** The same without storing anything: store → domain facts, once a domain → mailboxes → verdicts. */
export async function findMany(needs: VerifyManyNeeds, input: ManyInput): Promise<FoundMany> {
  const startedAt = needs.clock.now()
  const items = input.emails.map(begin)
  const keys = [...new Set(items.flatMap(({ address }) => (address.ok ? [cacheKey(address)] : [])))]
  const stored = await needs.resultLists.among(keys)
  if (input.serve !== "nothing") serveStored(items, { input, stored, now: startedAt })

  await lookUpDomains(needs, items.filter(isOpen), input)
  if (input.smtp) await askMailboxes(needs, items, input)

  const verifications = items.map(
    ({ verification, evidence }) => verification ?? assess(evidence, { cached: false, verifiedAt: startedAt }),
  )
  // A result that still holds outlasts trouble, and so does a server's "later": for the node and source IP that heard it.
  const outlasts = ({ address }: Item, index: number) =>
    input.before?.has(index) || (address.ok && (stored.get(cacheKey(address))?.expiresAt ?? 0) > startedAt)
  const fresh = verifications.filter(
    ({ cached, verdict }, index) => !cached && !(isTrouble(verdict) && outlasts(items[index]!, index)),
  )
  return { verifications, fresh, wasStored: (key) => stored.has(key) }
}

function begin(email: string): Item {
  const address = parseAddress(email)
  return { address, verification: null, evidence: noEvidence(address) }
}

function isOpen(item: Item): item is OpenItem {
  return item.verification === null && item.address.ok
}

function serveStored(
  items: readonly Item[],
  { input, stored, now }: { input: ManyInput; stored: ReadonlyMap<string, StoredResult>; now: number },
): void {
  for (const item of items) {
    const { address } = item
    const result = address.ok ? stored.get(cacheKey(address)) : undefined
    if (!address.ok || !result || result.expiresAt <= now) continue
    const verification = reassess(result, address)
    if (input.serve === "fresh" || verification.verdict.status !== "unknown") item.verification = verification
  }
}

async function lookUpDomains(needs: VerifyManyNeeds, open: readonly OpenItem[], { wallAt }: ManyInput): Promise<void> {
  const domains = [...new Set(open.map(({ address }) => address.domain))]
  const facts = await factsOfDomains(needs, { domains, wallAt: wallAt - CLOSING_MS })
  for (const item of open) {
    const domain = facts.get(item.address.domain) ?? null
    item.evidence = { ...item.evidence, domain, probeProblem: domain ? null : "deadline" }
  }
}

/** Asks about every item whose domain has a mail host. Two items of one mailbox share an answer. */
async function askMailboxes(needs: VerifyManyNeeds, items: readonly Item[], input: ManyInput): Promise<void> {
  const askable = new Map<string, { item: Item; target: ProbeTarget }>()
  const alike: { item: Item; of: Item }[] = []
  for (const [index, item] of items.entries()) {
    const { address, verification, evidence } = item
    const route = evidence.domain?.route
    if (verification || !address.ok || !route || !hasMailHost(route)) continue
    const known = askable.get(address.normalized)
    const before = input.before?.get(index)?.mailbox ?? null
    if (known) alike.push({ item, of: known.item })
    else askable.set(address.normalized, { item, target: { address, hosts: route.hosts, before } })
  }
  const asked = [...askable.values()]
  const deadlineMs = input.wallAt - CLOSING_MS - needs.clock.now()
  for (const { item } of asked)
    item.evidence = { ...item.evidence, probeProblem: deadlineMs > 0 ? "no_node" : "deadline" }
  if (asked.length === 0 || deadlineMs <= 0) return
  const targets = asked.map(({ target }) => target)
  await probeBatch(needs, { targets, deadlineMs, priority: input.priority }, (index, mailbox) => {
    const { item } = asked[index]!
    item.evidence = { ...item.evidence, mailbox, probeProblem: null }
  })
  for (const { item, of } of alike)
    item.evidence = { ...item.evidence, mailbox: of.evidence.mailbox, probeProblem: of.evidence.probeProblem }
}
