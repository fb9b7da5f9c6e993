import type { Playbook, RecipientLine } from "../../../schema/wire/probe.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import { playbookFor } from "../../../src/domain/smtp-reply/playbooks.ts"
import { judge, type Verdict } from "../../../src/domain/verification/judge.ts"
import type { Listener } from "./mta-root.ts"
import { brief, type EngineSetup, probe, testEngine } from "./probe-engine.ts"

const MX_HOST = "mx.test"
/** A local part that no test server accepts. */
const UNKNOWN_USER = "q7x2k9v4m1w8z3t6"

export interface ProbeReport {
  readonly at: Listener
  readonly to: readonly string[]
  readonly playbook?: Partial<Playbook>
  readonly engine?: Partial<EngineSetup>
  readonly deadlineMs?: number
}

/** The node's report about one recipient, and the edge's verdict. */
export interface Finding {
  readonly line: RecipientLine
  readonly verdict: Verdict
  /** Outcome of the recipient, of the catch-all probe, and the verdict: "rcpt 550 / rcpt 550: invalid mailbox_missing". */
  readonly summary: string
  /** The text of the reply to the real recipient. */
  readonly replyText: string
}

/** Probes recipients at a mail server with the node's engine and computes the edge's verdict. */
export async function examine({ at, to, playbook, engine, deadlineMs = 60_000 }: ProbeReport): Promise<Finding[]> {
  const hosts = [{ host: MX_HOST, preference: 10 }]
  const lines = await probe(testEngine({ port: at.port, hosts: { [MX_HOST]: [at.address] }, ...engine }), {
    to,
    controls: [...new Set(to.map((address) => `${UNKNOWN_USER}@${domainOf(address)}`))],
    mx: hosts,
    playbook: { ...playbookFor(hosts), ...playbook },
    request: { deadlineMs },
  })
  return lines.map((line) => judgeLine(to[line.index]!, line))
}

function judgeLine(email: string, line: RecipientLine): Finding {
  const address = parseAddress(email)
  const { outcome, control, session, attempts, totalMs } = line
  const verdict = judge({
    address,
    lists: classifyAddress(address),
    domain: null,
    mailbox: { nodeId: "node", region: "test", askedAt: 0, outcome, control, session, attempts, totalMs },
    probeProblem: null,
  })
  const { status, finding } = verdict
  return {
    line,
    verdict,
    summary: `${brief(outcome)} / ${brief(control)}: ${status}${finding ? ` ${finding}` : ""}`,
    replyText: outcome.kind === "reply" ? outcome.reply.text : outcome.detail,
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}
