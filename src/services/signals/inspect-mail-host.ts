import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import { playbookFor } from "../../domain/mail/playbooks.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { MailboxEvidence, MailRoute } from "../../domain/verdict/evidence.ts"
import { siblingOf } from "../../domain/verdict/sibling.ts"
import { mxOf, type ProbeNeeds } from "../verification/probe-batch.ts"

/** One region's view of a domain's mail server. */
export interface HostView {
  readonly nodeId: string
  readonly region: string
  /** Null when no session came about. */
  readonly session: MailboxEvidence["session"]
  /** Why there was none; null otherwise. */
  readonly problem: string | null
}

const MOST_REGIONS = 3
const DEADLINE_MS = 8_000

/** Says hello to a domain's mail server from up to three nodes and asks about a mailbox nobody has. */
export async function inspectMailHost(
  needs: ProbeNeeds,
  { domain, route }: { domain: string; route: MailRoute },
): Promise<HostView[]> {
  if (!hasMailHost(route)) return []
  const address = await siblingOf(needs.digests, domain)
  const playbook = playbookFor(route.hosts)
  const mx = mxOf(route.hosts)
  const views: HostView[] = []
  const rounds = Math.min(MOST_REGIONS, await needs.probes.count())
  for (let round = 0; round < rounds; round++) {
    const request: ProbeRequest = {
      requestId: needs.randomToken(),
      deadlineMs: DEADLINE_MS,
      priority: "interactive",
      sourceIp: null,
      avoidSourceIps: [],
      groups: [{ mx, playbook: { ...playbook, control: "never" }, recipients: [{ index: 0, address }], controls: [] }],
    }
    const answer = await needs.probes.ask(request, { avoidNodes: views.map(({ nodeId }) => nodeId) })
    if (answer.kind === "unavailable") break
    for await (const { nodeId, region, session, outcome } of answer.lines)
      views.push({ nodeId, region, session, problem: outcome.kind === "failure" ? outcome.failure : null })
  }
  return views
}
