import ipaddr from "ipaddr.js"
import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { Context } from "../../context.ts"
import { DEFAULT_ZONES, rblPenalty, readRbl } from "../../domain/reference/rbl.ts"
import { playbookFor, randomRecipientOf } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost, type MailboxEvidence, type MailRoute } from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { mxOf } from "../verification/probe-mailboxes.ts"

/** One region's view of a domain's mail server. */
export interface HostView {
  readonly nodeId: string
  readonly region: string
  /** Null when there was no session. */
  readonly session: MailboxEvidence["session"]
  /** The reason for the missing session, else null. */
  readonly problem: string | null
}

const MOST_REGIONS = 3
const DEADLINE_MS = 8_000

/** Opens an SMTP session with a domain's mail server from up to three nodes and probes a random recipient. */
export async function inspectMailHost(
  ctx: Context,
  { accountId, domain, route }: { accountId: string | null; domain: string; route: MailRoute },
): Promise<HostView[]> {
  if (!hasMailHost(route)) return []
  const address = await randomRecipientOf(ctx.digests, domain)
  const playbook = playbookFor(route.hosts)
  const mx = mxOf(route.hosts)
  const views: HostView[] = []
  const rounds = Math.min(MOST_REGIONS, await ctx.probes.count(accountId))
  for (let round = 0; round < rounds; round++) {
    const request: ProbeRequest = {
      requestId: ctx.randomToken(),
      deadlineMs: DEADLINE_MS,
      priority: "interactive",
      sourceIp: null,
      avoidSourceIps: [],
      groups: [{ mx, playbook: { ...playbook, control: "never" }, recipients: [{ index: 0, address }], controls: [] }],
    }
    const answer = await ctx.probes.probe(request, { accountId, avoidNodes: views.map(({ nodeId }) => nodeId) })
    if (answer.kind === "unavailable") break
    for await (const { nodeId, region, session, outcome } of answer.lines)
      views.push({ nodeId, region, session, problem: outcome.kind === "failure" ? outcome.failure : null })
  }
  return views
}

const BLOCKLIST_DEADLINE_MS = 5_000
const MAX_ADDRESSES = 8

/**
 * Checks a mail host's addresses, or one IPv4 address, on blocklists, through a probe node.
 * @throws AppError unavailable without DNS
 */
export async function checkHostBlocklists({ dns, rbl }: Pick<Context, "dns" | "rbl">, host: string) {
  const addresses = ipaddr.IPv4.isValidFourPartDecimal(host) ? [host] : await resolve(dns, host)
  if (addresses.length === 0) return { addresses, finding: null, penalty: 0 }
  const reply = await rbl.query({ ips: addresses, zones: [...DEFAULT_ZONES], deadlineMs: BLOCKLIST_DEADLINE_MS })
  const finding = reply && readRbl(reply.zones)
  return { addresses, finding, penalty: finding ? rblPenalty(finding) : 0 }
}

async function resolve(dns: Context["dns"], host: string): Promise<string[]> {
  const answer = await dns.resolve(host, "A")
  if (answer.kind === "failure") throw new AppError("unavailable", "DNS gave no answer for mx_host; try again")
  return answer.kind === "records" ? answer.records.slice(0, MAX_ADDRESSES) : []
}
