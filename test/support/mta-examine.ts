import type { Playbook, RecipientLine } from "../../schema/wire/probe.ts"
import { parseAddress } from "../../src/domain/address/parse.ts"
import { classifyAddress } from "../../src/domain/lists/classify.ts"
import { playbookFor } from "../../src/domain/mail/playbooks.ts"
import { judge, type Verdict } from "../../src/domain/verdict/judge.ts"
import type { Listener } from "./mta-root.ts"
import { ask, brief, type EngineSetup, testEngine } from "./probe-engine.ts"

const MX_HOST = "mx.test"
/** A local part that no server here knows. */
const NOBODY = "q7x2k9v4m1w8z3t6"

export interface Examination {
  readonly at: Listener
  readonly to: readonly string[]
  readonly playbook?: Partial<Playbook>
  readonly engine?: Partial<EngineSetup>
  readonly deadlineMs?: number
}

/** What the node reported about one recipient, and what the edge makes of it. */
export interface Finding {
  readonly line: RecipientLine
  readonly verdict: Verdict
  /** Stage and reply to the real recipient, to its random sibling, and the verdict: "rcpt 550 / rcpt 550: invalid mailbox_missing". */
  readonly summary: string
  /** The text of the reply to the real recipient. */
  readonly heard: string
}

/** Asks a mail server about recipients with the node's engine and judges its report as the edge does. */
export async function examine({ at, to, playbook, engine, deadlineMs = 15_000 }: Examination): Promise<Finding[]> {
  const hosts = [{ host: MX_HOST, preference: 10 }]
  const lines = await ask(testEngine({ port: at.port, hosts: { [MX_HOST]: [at.address] }, ...engine }), {
    to,
    controls: [...new Set(to.map((address) => `${NOBODY}@${domainOf(address)}`))],
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
    heard: outcome.kind === "reply" ? outcome.reply.text : outcome.detail,
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}
