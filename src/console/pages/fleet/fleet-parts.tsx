import type { ComponentChildren } from "preact"
import { type Answer, call, together } from "../../api/call.ts"
import type { Finding, FleetNode, NodeHealth, NodeState, RegionHealth, SourceIp } from "../../api/shapes.ts"
import { Badge, type Tone } from "../../parts/text.tsx"
import { asSentence, plain } from "../../words.ts"

/** A node that the reader may change, with its health and its source addresses. */
export interface Node extends NodeHealth {
  readonly region: string
  readonly registered: FleetNode
  readonly ips: readonly SourceIp[]
}

export const nodeLink = (id: string): string => `#/fleet/nodes/${encodeURIComponent(id)}`

/** Loads the reader's own nodes. For the operator: all nodes. */
export async function loadNodes(signal: AbortSignal): Promise<Answer<readonly Node[]>> {
  const init = { signal, asOperator: true }
  const answer = await together({
    health: call<{ regions: readonly RegionHealth[] }>("/regions/health", init),
    registry: call<{ nodes: readonly FleetNode[] }>("/fleet/nodes", init),
    sources: call<{ ips: readonly SourceIp[] }>("/ips", init),
  })
  if (!answer.ok) return answer
  const { health, registry, sources } = answer.body
  const registered = new Map(registry.nodes.map((node) => [node.id, node]))
  const body = health.regions.flatMap(({ region, probes }) =>
    probes.flatMap((probe): Node[] => {
      const node = registered.get(probe.id)
      const ips = sources.ips.filter(({ node_id }) => node_id === probe.id)
      return node ? [{ ...probe, region, registered: node, ips }] : []
    }),
  )
  return { ok: true, body }
}

/** Answers of the last 24 hours, and the share that were blocks (0-1); null without answers. */
export function answersOf({ ips }: Pick<Node, "ips">): { readonly answers: number; readonly blockRate: number | null } {
  const blocked = ips.reduce((sum, { blocked_24h }) => sum + blocked_24h, 0)
  const answers = ips.reduce((sum, { answered_24h }) => sum + answered_24h, blocked)
  return { answers, blockRate: answers > 0 ? blocked / answers : null }
}

/** Number of findings of the node's last self-check that need a repair. */
export const problemsOf = ({ doctor }: Pick<NodeHealth, "doctor">): number =>
  (doctor?.findings ?? []).filter(({ result }) => result === "fail" || result === "warn").length

export function servedBy({ registered: { owner, bootstrap } }: Pick<Node, "registered">): string {
  if (owner === "own") return "Only your account"
  if (owner === "account") return "Only its account"
  return bootstrap ? "All accounts (from the setting PROBE_NODES)" : "All accounts"
}

export const STATE_TONES: Readonly<Record<NodeState, Tone>> = {
  healthy: "valid",
  degraded: "accept_all",
  draining: "unknown",
  unfit: "invalid",
  quarantined: "invalid_syntax",
  gone: "unknown",
}

/** What each state means for probes, in the order of the filter. */
export const STATE_MEANINGS: Readonly<Record<NodeState, string>> = {
  healthy: "It gets probes.",
  degraded: "It still gets probes, but it has a problem.",
  draining: "It gets no new probes until you resume it.",
  unfit: "It gets no probes until the problem is repaired.",
  quarantined: "It gets no probes while its source addresses are paused. It returns by itself.",
  gone: "It gets no probes until it responds again.",
}

const TONES: Readonly<Record<Finding["result"], Tone>> = {
  ok: "valid",
  warn: "accept_all",
  fail: "invalid",
  unknown: "unknown",
}

const WORDS: Readonly<Record<Finding["result"], string>> = {
  ok: "Passed",
  warn: "Warning",
  fail: "Failed",
  unknown: "No result",
}

/** Names of the checks whose plain word says little. */
const CHECK_NAMES: Readonly<Record<string, string>> = {
  dkim: "DKIM keys",
  egress: "Outgoing port 25",
  helo: "Host name (HELO)",
  mx: "MX record",
  ptr: "Reverse name (PTR)",
  sender: "Sender address",
  spf: "SPF record",
}

export const FindingBadge = ({ result }: Pick<Finding, "result">) => <Badge tone={TONES[result]}>{WORDS[result]}</Badge>

interface FindingsProps {
  readonly of: readonly Finding[]
  readonly below?: (finding: Finding) => ComponentChildren
}

export const Findings = ({ of: findings, below }: FindingsProps) => (
  <ul class="findings">
    {findings.map((finding) => (
      <li key={`${finding.check} ${finding.subject}`}>
        <FindingBadge result={finding.result} />
        <div class="break">
          <b>{CHECK_NAMES[finding.check] ?? plain(finding.check)}</b>
          {finding.subject && <span class="soft"> {finding.subject}</span>}
          <p>{asSentence(finding.detail)}</p>
          {below?.(finding)}
        </div>
      </li>
    ))}
  </ul>
)

/** [path, title] of the pages of the fleet. */
const TABS = [
  ["fleet", "Nodes"],
  ["fleet/addresses", "Source addresses"],
  ["fleet/canaries", "Canaries"],
  ["fleet/domains", "Sender domains"],
] as const

export const FleetTabs = ({ current }: { current: (typeof TABS)[number][0] }) => (
  <nav class="subpages" aria-label="Fleet">
    {TABS.map(([path, title]) => (
      <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
        {title}
      </a>
    ))}
  </nav>
)
