import { PROBE_LIMITS } from "../../../schema/wire/probe.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { playbookFor } from "../../domain/mail/playbooks.ts"
import type { MailboxEvidence, MxHost } from "../../domain/verdict/evidence.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { judge, takesAnything, type Verdict } from "../../domain/verdict/judge.ts"
import { siblingOf } from "../../domain/verdict/sibling.ts"
import { mxOf, type ProbeNeeds, toEvidence } from "../verification/probe-batch.ts"
import { probeMailbox } from "../verification/probe-mailbox.ts"

export interface Probing {
  /** In the order in which they are asked about. */
  readonly addresses: readonly ValidAddress[]
  readonly hosts: readonly MxHost[]
  readonly deadlineMs: number
}

export interface Probed {
  /** Verdicts of those that were asked about, by their place. */
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** Whether the server takes anything; null when it could not be told. */
  readonly isCatchAll: boolean | null
  /** An account's own node said so: it is for that account only. */
  readonly isPrivate: boolean
}

const NOTHING: Probed = { verdicts: new Map(), isCatchAll: null, isPrivate: false }
/** Why it is no use to go on: the answer is not about the mailbox. */
const HOPELESS: ReadonlySet<Verdict["finding"]> = new Set([
  "refused_probe",
  "relay_denied",
  "unreachable",
  "throttled",
  "protocol_error",
  "greylisted",
  "temporary_failure",
])

/**
 * Asks about addresses of one domain in the order given, in one SMTP session, and stops at the first that exists, as soon
 * as it is clear that the domain takes everything, or when the server refuses to talk. A mailbox counts as existing only
 * when a random one was refused.
 */
export async function probeCandidates(needs: ProbeNeeds & Pick<Deps, "log">, probing: Probing): Promise<Probed> {
  const { addresses, hosts } = probing
  const first = addresses[0]
  if (!first) return NOTHING
  const playbook = playbookFor(hosts)
  if (playbook.control !== "same-session") return probeOneByOne(needs, probing)
  const startedAt = needs.clock.now()
  const sibling = await siblingOf(needs.digests, first.domain)
  // The likeliest first, then the one nobody has: servers think ill of those who begin with a wrong name.
  const asked = [first.normalized, sibling, ...addresses.slice(1).map(({ normalized }) => normalized)]
  const answer = await needs.probes.ask({
    requestId: needs.randomToken(),
    deadlineMs: Math.min(PROBE_LIMITS.deadlineMs, probing.deadlineMs),
    priority: "interactive",
    sourceIp: null,
    avoidSourceIps: [],
    groups: [
      {
        mx: mxOf(hosts),
        // One question at a time, or the later ones are out before the first answer is in.
        playbook: { ...playbook, pipelining: false, control: "never", recipientsPerSession: asked.length },
        recipients: asked.map((address, index) => ({ index, address })),
        controls: [],
      },
    ],
  })
  if (answer.kind === "unavailable") return NOTHING
  const reading = new Reading(addresses)
  for await (const line of answer.lines) {
    reading.take(line.index, toEvidence(line, startedAt))
    if (reading.isSettled) break
  }
  return reading.result()
}

/** What was heard so far about the candidates and their sibling. */
class Reading {
  readonly #addresses: readonly ValidAddress[]
  readonly #heard = new Map<number, MailboxEvidence>()
  #sibling: MailboxEvidence | null = null

  constructor(addresses: readonly ValidAddress[]) {
    this.#addresses = addresses
  }

  take(index: number, evidence: MailboxEvidence): void {
    if (index === 1) this.#sibling = evidence
    else this.#heard.set(index === 0 ? 0 : index - 1, evidence)
  }

  /** Nothing that is still to come would change what is answered. */
  get isSettled(): boolean {
    if (!this.#sibling) return false
    const { verdicts, isCatchAll } = this.result()
    if (isCatchAll) return true
    return [...verdicts.values()].some(({ status, finding }) => status === "valid" || HOPELESS.has(finding))
  }

  result(): Probed {
    const control = this.#sibling?.outcome ?? null
    const verdicts = new Map(
      [...this.#heard].map(([at, mailbox]) => [at, verdictOf(this.#addresses[at]!, { ...mailbox, control })]),
    )
    const isPrivate = [...this.#heard.values()].some((mailbox) => mailbox.isPrivate)
    return { verdicts, isCatchAll: catchAllOf([...verdicts.values()], this.#sibling), isPrivate }
  }
}

/** The random mailbox alone tells too, when no candidate was taken. */
function catchAllOf(verdicts: readonly Verdict[], sibling: MailboxEvidence | null): boolean | null {
  const said = verdicts.find(({ isCatchAll }) => isCatchAll !== null)
  if (said) return said.isCatchAll
  return sibling && takesAnything(sibling.outcome, sibling.session)
}

/** For servers that punish a random mailbox in a session with real ones. */
async function probeOneByOne(needs: ProbeNeeds, { addresses, hosts, deadlineMs }: Probing): Promise<Probed> {
  const wallAt = needs.clock.now() + deadlineMs
  const verdicts = new Map<number, Verdict>()
  let isPrivate = false
  for (const [at, address] of addresses.entries()) {
    const left = wallAt - needs.clock.now()
    if (left <= 0) break
    const mailbox = await probeMailbox(needs, { address, hosts, deadlineMs: left })
    if (!mailbox) break
    isPrivate ||= mailbox.isPrivate ?? false
    const verdict = verdictOf(address, mailbox)
    verdicts.set(at, verdict)
    if (["valid", "accept_all"].includes(verdict.status) || HOPELESS.has(verdict.finding)) break
  }
  return { verdicts, isCatchAll: catchAllOf([...verdicts.values()], null), isPrivate }
}

function verdictOf(address: ValidAddress, mailbox: MailboxEvidence): Verdict {
  return judge({ ...noEvidence(address), mailbox })
}
