import { PROBE_LIMITS, type ProbeGroup, type ProbeRequest } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../adapters/probes/dispatch.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { fateOf } from "../../domain/fleet/fate.ts"
import { needsSecondOpinion } from "../../domain/fleet/quorum.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { classifyOutcome } from "../../domain/mail/classify-reply.ts"
import { needsNoSibling, playbookFor } from "../../domain/mail/playbooks.ts"
import type { MailboxEvidence, MxHost } from "../../domain/verdict/evidence.ts"
import { siblingOf } from "../../domain/verdict/sibling.ts"

export type ProbeNeeds = Pick<Deps, "clock" | "digests" | "randomToken" | "probes">

/** One mailbox to ask about. */
export interface ProbeTarget {
  readonly address: ValidAddress
  readonly hosts: readonly MxHost[]
  /** What was found before: greylisting wants the same node and source IP again (RFC 6647 §2.2). */
  readonly before: MailboxEvidence | null
}

export interface ProbeBatch {
  /** At most PROBE_LIMITS.recipients. */
  readonly targets: readonly ProbeTarget[]
  readonly deadlineMs: number
  readonly priority: ProbeRequest["priority"]
}

/** Called once or, when a second opinion replaces the first, twice for a target, by its place in the batch. */
export type OnMailbox = (index: number, mailbox: MailboxEvidence) => void

const MIN_DEADLINE_MS = 500
const SECOND_ASK_MIN_MS = 1_500

/** Where a request goes: targets of one request share the node and the source IP they were asked from before. */
interface Route {
  readonly preferNode: string | null
  readonly sourceIp: string | null
  readonly avoidNodes: readonly string[]
  readonly avoidSourceIps: readonly string[]
  /** Rather nobody than a source IP that the operator holds off. */
  readonly onlyWelcome: boolean
}

const ANYWHERE: Route = { preferNode: null, sourceIp: null, avoidNodes: [], avoidSourceIps: [], onlyWelcome: false }

/**
 * Asks the mail servers about many mailboxes and a random sibling per domain, in as few requests as their routes allow;
 * which nodes ask, and who takes over when one dies, is the fleet's business. A refusal that is about us is asked once
 * more from another source IP, a surprising "no such mailbox" of another node. Targets without any answer are not reported.
 */
export async function probeBatch(needs: ProbeNeeds, batch: ProbeBatch, onMailbox: OnMailbox): Promise<void> {
  const wallAt = needs.clock.now() + batch.deadlineMs
  const found = new Map<number, MailboxEvidence>()
  const doubted = new Set<number>()
  const hear: OnLine = (line, mailbox) => {
    const { index, isSuspect } = line
    found.set(index, mailbox)
    const before = batch.targets[index]!.before?.outcome ?? null
    if (needsSecondOpinion({ ...mailbox, before, isSuspect })) doubted.add(index)
    onMailbox(index, mailbox)
  }
  const asking = { ...batch, wallAt }
  await Promise.all(
    [...byRoute(batch.targets)].map(([route, indexes]) =>
      askOnce(needs, { ...asking, indexes, route: JSON.parse(route) as Route }, hear),
    ),
  )
  if (wallAt - needs.clock.now() < SECOND_ASK_MIN_MS) return
  const refused = [...found].filter(([, mailbox]) => refusesUs(mailbox)).map(([index]) => index)
  const hearAgain: OnLine = ({ index }, second) => {
    const isBetter = doubted.has(index) ? !refusesUs(second) : true
    if (second.outcome.kind === "reply" && isBetter) onMailbox(index, second)
  }
  const ask = (indexes: number[], elsewhere: Partial<Route>) =>
    askOnce(needs, { ...asking, indexes, route: { ...ANYWHERE, ...elsewhere } }, hearAgain)
  await Promise.all([
    refused.length > 0 ? ask(refused, { avoidSourceIps: sourceIpsOf(refused, found) }) : null,
    doubted.size > 0 ? ask([...doubted], { avoidNodes: nodesOf(doubted, found), onlyWelcome: true }) : null,
  ])
}

type OnLine = (line: NodeLine, mailbox: MailboxEvidence) => void

/** Indexes of targets by the JSON of their route. */
function byRoute(targets: readonly ProbeTarget[]): Map<string, number[]> {
  const routes = new Map<string, number[]>()
  for (const [index, { before }] of targets.entries()) {
    // Only greylisting wants to see the same again; a server that turned us away wants anybody else.
    const route: Route =
      before?.session && fateOf(before.outcome) === "deferred"
        ? { ...ANYWHERE, preferNode: before.nodeId, sourceIp: before.session.sourceIp }
        : ANYWHERE
    const key = JSON.stringify(route)
    const indexes = routes.get(key)
    if (indexes) indexes.push(index)
    else routes.set(key, [index])
  }
  return routes
}

interface Asking extends ProbeBatch {
  readonly wallAt: number
  readonly indexes: readonly number[]
  readonly route: Route
}

async function askOnce(
  { clock, digests, randomToken, probes }: ProbeNeeds,
  { targets, indexes, route, priority, wallAt }: Asking,
  onLine: OnLine,
): Promise<void> {
  const askedAt = clock.now()
  const request: ProbeRequest = {
    requestId: randomToken(),
    deadlineMs: Math.max(MIN_DEADLINE_MS, Math.min(PROBE_LIMITS.deadlineMs, wallAt - askedAt)),
    priority,
    sourceIp: route.sourceIp,
    avoidSourceIps: route.avoidSourceIps.slice(0, 64),
    groups: await groupsOf(digests, targets, indexes),
  }
  const { avoidNodes, preferNode, onlyWelcome } = route
  const answer = await probes.ask(request, { avoidNodes, preferNode, onlyWelcome })
  if (answer.kind === "unavailable") return
  for await (const line of answer.lines) onLine(line, toEvidence(line, askedAt))
}

/** One group for all domains with the same mail hosts, so that a session can serve them together. */
async function groupsOf(
  digests: Deps["digests"],
  targets: readonly ProbeTarget[],
  indexes: readonly number[],
): Promise<ProbeGroup[]> {
  const groups = new Map<string, { hosts: readonly MxHost[]; indexes: number[]; siblingsOf: Set<string> }>()
  for (const index of indexes) {
    const { address, hosts } = targets[index]!
    const key = hosts.map(({ host, preference }) => `${preference} ${host}`).join(",")
    const group = groups.get(key) ?? { hosts, indexes: [], siblingsOf: new Set() }
    group.indexes.push(index)
    if (!needsNoSibling(hosts, classifyAddress(address).isFree)) group.siblingsOf.add(address.domain)
    groups.set(key, group)
  }
  const built = [...groups.values()].map(async ({ hosts, indexes, siblingsOf }) => {
    return {
      mx: mxOf(hosts),
      playbook: playbookFor(hosts),
      recipients: indexes.map((index) => ({ index, address: targets[index]!.address.normalized })),
      controls: await Promise.all([...siblingsOf].map((domain) => siblingOf(digests, domain))),
    }
  })
  return Promise.all(built)
}

/** The mail hosts of a domain, as a node is told them. */
export function mxOf(hosts: readonly MxHost[]): ProbeGroup["mx"] {
  return hosts.slice(0, PROBE_LIMITS.mxHosts).map(({ host, preference }) => ({ host, preference }))
}

/** What is kept of a node's line. */
export function toEvidence(line: NodeLine, askedAt: number): MailboxEvidence {
  const { nodeId, region, isPrivate, outcome, control, session, attempts, totalMs } = line
  const from = { nodeId, region, askedAt, ...(isPrivate ? { isPrivate } : {}) }
  return { ...from, outcome, control, session, attempts, totalMs }
}

function refusesUs(mailbox: MailboxEvidence | undefined): boolean {
  if (mailbox?.outcome.kind !== "reply") return false
  const { outcome, session } = mailbox
  return classifyOutcome(outcome, session).class === "refuses_us"
}

function nodesOf(indexes: Iterable<number>, found: ReadonlyMap<number, MailboxEvidence>): string[] {
  return [...new Set([...indexes].flatMap((index) => found.get(index)?.nodeId ?? []))]
}

function sourceIpsOf(indexes: readonly number[], found: ReadonlyMap<number, MailboxEvidence>): string[] {
  return [...new Set(indexes.flatMap((index) => found.get(index)?.session?.sourceIp ?? []))]
}
