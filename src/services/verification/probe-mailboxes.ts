import { PROBE_LIMITS, type ProbeGroup, type ProbeRequest } from "../../../schema/wire/probe.ts"
import type { NodeLine } from "../../adapters/fleet/dispatch.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { needsSecondOpinion, outcomeClassOf } from "../../domain/fleet/outcome-class.ts"
import type { OutcomeClass } from "../../domain/fleet/route-stats.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { needsNoRandomRecipient, playbookFor, randomRecipientOf } from "../../domain/smtp-reply/playbooks.ts"
import type { MailboxEvidence, MxHost } from "../../domain/verification/evidence.ts"

/**
 * The time that a mail server gets at least, in ms. The probe continues after the response if the caller's deadline is
 * shorter: a Worker may run for 30 s after its response.
 */
export const FULL_PROBE_MS = 20_000

/** A mailbox to probe. */
export interface ProbeTarget {
  readonly address: ValidAddress
  readonly hosts: readonly MxHost[]
  /** The previous evidence: greylisting expects the same node and source IP again (RFC 6647 §2.2). */
  readonly before: MailboxEvidence | null
}

interface ProbeBatch {
  /** The account whose own nodes probe, else the shared ones. Null for a caller without an account. */
  readonly accountId: string | null
  /** At most PROBE_LIMITS.recipients. */
  readonly targets: readonly ProbeTarget[]
  readonly deadlineMs: number
  readonly priority: ProbeRequest["priority"]
}

const MIN_DEADLINE_MS = 500
const SECOND_PROBE_MIN_MS = 1_500
const MAX_RETRY_REQUESTS = 4

/** Probes one mailbox and a random recipient. Null when no node was available. */
export async function probeMailbox(
  ctx: Context,
  { accountId, deadlineMs, ...target }: ProbeTarget & Pick<ProbeBatch, "accountId" | "deadlineMs">,
): Promise<MailboxEvidence | null> {
  let found: MailboxEvidence | null = null
  await probeBatch(ctx, { accountId, targets: [target], deadlineMs, priority: "interactive" }, (_, mailbox) => {
    found = mailbox
  })
  return found
}

type OnLine = (line: NodeLine, mailbox: MailboxEvidence) => void

/** The route of a request. Targets of one request share their previous node and source IP. */
interface Route {
  readonly preferNode: string | null
  readonly sourceIp: string | null
  readonly avoidNodes: readonly string[]
  readonly avoidSourceIps: readonly string[]
  /** Fail rather than use a source IP that the operator blocks. */
  readonly onlyUnblocked: boolean
}

const ANYWHERE: Route = { preferNode: null, sourceIp: null, avoidNodes: [], avoidSourceIps: [], onlyUnblocked: false }

/**
 * Probes many mailboxes and a random recipient per domain, in as few requests as their routes allow. The fleet chooses
 * and replaces nodes. A refusal of the source IP is retried from another one, a surprising "no such mailbox" from
 * another node. Targets without an answer are not reported.
 * @param onMailbox called once per target, twice when a second opinion replaces the first. `index` is its place in the
 * batch, `isFinal` whether no second opinion can follow
 */
export async function probeBatch(
  ctx: Context,
  batch: ProbeBatch,
  onMailbox: (index: number, mailbox: MailboxEvidence, isFinal: boolean) => void,
): Promise<void> {
  const deadlineAt = ctx.clock.now() + batch.deadlineMs
  const found = new Map<number, NodeLine>()
  const doubted = new Set<number>()
  const before = batch.targets.map((target) => target.before && outcomeClassOf(target.before.outcome))
  const onFirst: OnLine = (line, mailbox) => {
    const { index } = line
    found.set(index, line)
    const isDoubted = needsSecondOpinion({ ...line, before: before[index] ?? null })
    if (isDoubted) doubted.add(index)
    onMailbox(index, mailbox, !isDoubted && !refusesUs(line))
  }
  await Promise.all(
    [...byRoute(batch.targets, before)].map(([route, indexes]) =>
      probeOnce(ctx, batch, { deadlineAt, indexes, route: JSON.parse(route) as Route }, onFirst),
    ),
  )
  if (deadlineAt - ctx.clock.now() < SECOND_PROBE_MIN_MS) return
  const refused = [...found].filter(([, line]) => refusesUs(line)).map(([index]) => index)
  const onSecond: OnLine = (line, second) => {
    const isBetter = !doubted.has(line.index) || !refusesUs(line)
    if (line.classified && isBetter) onMailbox(line.index, second, true)
  }
  const probeAgain = (indexes: number[], elsewhere: Partial<Route>) =>
    probeOnce(ctx, batch, { deadlineAt, indexes, route: { ...ANYWHERE, ...elsewhere } }, onSecond)
  await Promise.all([
    ...byRefusedIp(refused, found).map(({ indexes, avoidSourceIps }) => probeAgain(indexes, { avoidSourceIps })),
    doubted.size > 0 ? probeAgain([...doubted], { avoidNodes: nodesOf(doubted, found), onlyUnblocked: true }) : null,
  ])
}

/** Groups target indexes by the JSON of their route. @param classes the class of each target's previous outcome */
function byRoute(targets: readonly ProbeTarget[], classes: readonly (OutcomeClass | null)[]): Map<string, number[]> {
  return Map.groupBy(targets.keys(), (index) => {
    const { before } = targets[index]!
    // A temporary reply needs the same node and source IP: greylisting knows them. After a refusal any other is better.
    const isSame = before?.session && classes[index] === "deferred"
    const same = isSame ? { preferNode: before.nodeId, sourceIp: before.session.sourceIp } : {}
    return JSON.stringify({ ...ANYWHERE, ...same })
  })
}

async function probeOnce(
  { clock, digests, randomToken, probes }: Context,
  { accountId, targets, priority }: ProbeBatch,
  { deadlineAt, indexes, route }: { deadlineAt: number; indexes: readonly number[]; route: Route },
  onLine: OnLine,
): Promise<void> {
  const askedAt = clock.now()
  const request: ProbeRequest = {
    requestId: randomToken(),
    deadlineMs: Math.max(MIN_DEADLINE_MS, Math.min(PROBE_LIMITS.deadlineMs, deadlineAt - askedAt)),
    priority,
    sourceIp: route.sourceIp,
    avoidSourceIps: route.avoidSourceIps.slice(0, 64),
    groups: await groupsOf(digests, targets, indexes),
  }
  const { avoidNodes, preferNode, onlyUnblocked } = route
  const answer = await probes.probe(request, { accountId, avoidNodes, preferNode, onlyUnblocked })
  if (answer.kind === "unavailable") return
  for await (const line of answer.lines) onLine(line, toEvidence(line, askedAt))
}

/** Builds one group for all domains with the same mail hosts, so that they share a session. */
async function groupsOf(
  digests: Context["digests"],
  targets: readonly ProbeTarget[],
  indexes: readonly number[],
): Promise<ProbeGroup[]> {
  const groups = Map.groupBy(indexes, (index) =>
    targets[index]!.hosts.map(({ host, preference }) => `${preference} ${host}`).join(","),
  )
  const built = [...groups.values()].map(async (members) => {
    const { hosts } = targets[members[0]!]!
    const addresses = members.map((index) => targets[index]!.address)
    const unclear = addresses.filter((address) => !needsNoRandomRecipient(hosts, classifyAddress(address).isFree))
    const domains = [...new Set(unclear.map(({ domain }) => domain))]
    return {
      mx: mxOf(hosts),
      playbook: playbookFor(hosts),
      recipients: members.map((index, n) => ({ index, address: addresses[n]!.normalized })),
      controls: await Promise.all(domains.map((domain) => randomRecipientOf(digests, domain))),
    }
  })
  return Promise.all(built)
}

/** The mail hosts of a domain in a node's request format. */
export function mxOf(hosts: readonly MxHost[]): ProbeGroup["mx"] {
  return hosts.slice(0, PROBE_LIMITS.mxHosts).map(({ host, preference }) => ({ host, preference }))
}

/** Converts a node's line to stored evidence. */
export function toEvidence(line: NodeLine, askedAt: number): MailboxEvidence {
  const { nodeId, region, isPrivate, outcome, control, session, attempts, totalMs } = line
  const from = { nodeId, region, askedAt, ...(isPrivate ? { isPrivate } : {}) }
  return { ...from, outcome, control, session, attempts, totalMs }
}

function refusesUs({ classified }: NodeLine): boolean {
  return classified?.class === "refuses_us"
}

function nodesOf(indexes: Iterable<number>, found: ReadonlyMap<number, NodeLine>): string[] {
  return [...new Set([...indexes].flatMap((index) => found.get(index)?.nodeId ?? []))]
}

/**
 * Groups refused targets by the source IP that was refused. Each group avoids only its own source IP: a common request
 * would avoid all of them, and a node with two source IPs could not retry. Many source IPs share a request, because a
 * fleet of that size has others.
 */
function byRefusedIp(
  refused: readonly number[],
  found: ReadonlyMap<number, NodeLine>,
): { readonly indexes: number[]; readonly avoidSourceIps: string[] }[] {
  const byIp = Map.groupBy(refused, (index) => found.get(index)?.session?.sourceIp ?? "")
  const ips = [...byIp.keys()].filter((ip) => ip !== "")
  if (byIp.size > MAX_RETRY_REQUESTS) return [{ indexes: [...refused], avoidSourceIps: ips }]
  return [...byIp].map(([ip, indexes]) => ({ indexes, avoidSourceIps: ip === "" ? [] : [ip] }))
}
