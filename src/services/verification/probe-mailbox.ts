import { PROBE_LIMITS, type ProbeRequest, type RecipientLine } from "../../../schema/wire/probe.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { classifyReply } from "../../domain/mail/classify-reply.ts"
import { playbookFor } from "../../domain/mail/playbooks.ts"
import type { MailboxEvidence, MxHost } from "../../domain/verdict/evidence.ts"

type Needs = Pick<Deps, "clock" | "randomToken" | "probes">

export interface ProbeInput {
  readonly address: ValidAddress
  readonly hosts: readonly MxHost[]
  readonly deadlineMs: number
}

const MIN_DEADLINE_MS = 500
const MAX_DEADLINE_MS = 60_000

/**
 * Asks the mail server about one mailbox and a random sibling. A refusal that is about us, not the mailbox, is tried
 * once more from another source IP or node. Null when no node could be asked.
 */
export async function probeMailbox(needs: Needs, input: ProbeInput): Promise<MailboxEvidence | null> {
  const wallAt = needs.clock.now() + input.deadlineMs
  const first = await askOnce(needs, input, { wallAt, avoid: null })
  if (!first || !refusesUs(first)) return first
  const second = await askOnce(needs, input, { wallAt, avoid: first })
  return second && second.outcome.kind === "reply" ? second : first
}

async function askOnce(
  { clock, randomToken, probes }: Needs,
  { address, hosts }: ProbeInput,
  { wallAt, avoid }: { wallAt: number; avoid: MailboxEvidence | null },
): Promise<MailboxEvidence | null> {
  const askedAt = clock.now()
  const playbook = playbookFor(hosts)
  const request: ProbeRequest = {
    requestId: randomToken(),
    deadlineMs: Math.max(MIN_DEADLINE_MS, Math.min(MAX_DEADLINE_MS, wallAt - askedAt)),
    priority: "interactive",
    sourceIp: null,
    avoidSourceIps: avoid?.session ? [avoid.session.sourceIp] : [],
    groups: [
      {
        mx: hosts.slice(0, PROBE_LIMITS.mxHosts).map(({ host, preference }) => ({ host, preference })),
        playbook,
        recipients: [{ index: 0, address: `${address.local}@${address.domain}` }],
        controls: playbook.control === "never" ? [] : [`${randomLocalPart(randomToken())}@${address.domain}`],
      },
    ],
  }
  const answer = await probes.ask(request, [])
  if (answer.kind === "unavailable") return null
  for await (const line of answer.lines)
    if (line.index === 0) return toEvidence(line, { nodeId: answer.nodeId, region: answer.region, askedAt })
  return null
}

function toEvidence(
  { outcome, control, session, attempts, totalMs }: RecipientLine,
  asked: { nodeId: string; region: string; askedAt: number },
): MailboxEvidence {
  return { ...asked, outcome, control, session, attempts, totalMs }
}

function refusesUs({ outcome }: MailboxEvidence): boolean {
  return outcome.kind === "reply" && classifyReply({ ...outcome.reply, stage: outcome.stage }).class === "refuses_us"
}

/** A local part nobody has, shaped like one somebody might: a letter first, then letters and digits. */
function randomLocalPart(token: string): string {
  return `q${token
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "x")
    .slice(0, 15)}`
}
