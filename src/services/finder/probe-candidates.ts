import { PROBE_LIMITS, type ProbeRequest } from "../../../schema/wire/probe.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { classifyOutcome } from "../../domain/smtp-reply/classify-reply.ts"
import { playbookFor, randomRecipientOf } from "../../domain/smtp-reply/playbooks.ts"
import { type MailboxEvidence, type MxHost, noEvidence } from "../../domain/verification/evidence.ts"
import { acceptsEveryAddress, judge, type Verdict } from "../../domain/verification/judge.ts"
import { mxOf, probeMailbox, toEvidence } from "../verification/probe-mailboxes.ts"

export interface Probing {
  readonly accountId: string | null
  /** In probe order. */
  readonly addresses: readonly ValidAddress[]
  readonly hosts: readonly MxHost[]
  readonly deadlineMs: number
  /** Whether the verdicts so far, by the index of their address, settle the question. */
  isEnough(verdicts: ReadonlyMap<number, Verdict>): boolean
}

export interface Probed {
  /** Verdicts of the probed addresses, by their index. */
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** Whether the server accepts any address, null when unknown. */
  readonly isCatchAll: boolean | null
  /** The result comes from an account's own node and is for that account only. */
  readonly isPrivate: boolean
}

const NOTHING: Probed = { verdicts: new Map(), isCatchAll: null, isPrivate: false }
/** Findings that end the probing, because they do not concern the mailbox. */
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
 * Probes addresses of one domain in the given order, in one SMTP session. It stops when the verdicts are enough, at a
 * catch-all, or when the server refuses the session. A mailbox exists only if a random recipient was refused.
 */
export async function probeCandidates(ctx: Context, probing: Probing): Promise<Probed> {
  const { accountId, addresses, hosts } = probing
  const first = addresses[0]
  if (!first) return NOTHING
  const playbook = playbookFor(hosts)
  if (playbook.control !== "same-session") return probeOneByOne(ctx, probing)
  const startedAt = ctx.clock.now()
  const randomRecipient = await randomRecipientOf(ctx.digests, first.domain)
  // The most likely address goes first, the random recipient second: servers distrust clients that begin with an
  // unknown recipient.
  const probed = [first.normalized, randomRecipient, ...addresses.slice(1).map(({ normalized }) => normalized)]
  const request: ProbeRequest = {
    requestId: ctx.randomToken(),
    deadlineMs: Math.min(PROBE_LIMITS.deadlineMs, probing.deadlineMs),
    priority: "interactive",
    sourceIp: null,
    avoidSourceIps: [],
    groups: [
      {
        mx: mxOf(hosts),
        // No pipelining: with it, later recipients go out before the first reply.
        playbook: { ...playbook, pipelining: false, control: "never", recipientsPerSession: probed.length },
        recipients: probed.map((address, index) => ({ index, address })),
        controls: [],
      },
    ],
  }
  const answer = await ctx.probes.probe(request, { accountId })
  if (answer.kind === "unavailable") return NOTHING
  const outcomes = new Outcomes(probing)
  for await (const line of answer.lines) {
    outcomes.add(line.index, toEvidence(line, startedAt))
    if (outcomes.isSettled) break
  }
  return outcomes.result()
}

/** The outcomes so far of the candidates and of the random recipient. */
class Outcomes {
  readonly #probing: Probing
  readonly #candidates = new Map<number, MailboxEvidence>()
  #random: MailboxEvidence | null = null

  constructor(probing: Probing) {
    this.#probing = probing
  }

  add(index: number, evidence: MailboxEvidence): void {
    if (index === 1) this.#random = evidence
    else this.#candidates.set(index === 0 ? 0 : index - 1, evidence)
  }

  /** True when no later line would change the result. */
  get isSettled(): boolean {
    if (!this.#random) return false
    const { verdicts, isCatchAll } = this.result()
    if (isCatchAll) return true
    return [...verdicts.values()].some(({ finding }) => HOPELESS.has(finding)) || this.#probing.isEnough(verdicts)
  }

  result(): Probed {
    const control = this.#random?.outcome ?? null
    const verdicts = new Map(
      [...this.#candidates].map(([at, mailbox]) => [
        at,
        verdictOf(this.#probing.addresses[at]!, { ...mailbox, control }),
      ]),
    )
    const isPrivate = [...this.#candidates.values()].some((mailbox) => mailbox.isPrivate)
    return { verdicts, isCatchAll: catchAllOf([...verdicts.values()], this.#random), isPrivate }
  }
}

/** The random recipient decides alone when no candidate was accepted. */
function catchAllOf(verdicts: readonly Verdict[], random: MailboxEvidence | null): boolean | null {
  const decided = verdicts.find(({ isCatchAll }) => isCatchAll !== null)
  if (decided) return decided.isCatchAll
  return random && acceptsEveryAddress(classifyOutcome(random.outcome, random.session))
}

/** For servers that penalize a random recipient in a session with real ones. */
async function probeOneByOne(
  ctx: Context,
  { accountId, addresses, hosts, deadlineMs, isEnough }: Probing,
): Promise<Probed> {
  const deadlineAt = ctx.clock.now() + deadlineMs
  const verdicts = new Map<number, Verdict>()
  let isPrivate = false
  for (const [at, address] of addresses.entries()) {
    const left = deadlineAt - ctx.clock.now()
    if (left <= 0) break
    const mailbox = await probeMailbox(ctx, { accountId, address, hosts, before: null, deadlineMs: left })
    if (!mailbox) break
    isPrivate ||= mailbox.isPrivate ?? false
    const verdict = verdictOf(address, mailbox)
    verdicts.set(at, verdict)
    if (verdict.status === "accept_all" || HOPELESS.has(verdict.finding) || isEnough(verdicts)) break
  }
  return { verdicts, isCatchAll: catchAllOf([...verdicts.values()], null), isPrivate }
}

function verdictOf(address: ValidAddress, mailbox: MailboxEvidence): Verdict {
  return judge({ ...noEvidence(address), mailbox })
}
