import { createDialPort, createSources } from "../../../probe-node/addresses.ts"
import { createEndpointLimiter, Pacer, type PacingLimits } from "../../../probe-node/pacing.ts"
import { type EngineDeps, ProbeRun } from "../../../probe-node/probe.ts"
import { REPLY_TIMEOUT_MS } from "../../../probe-node/smtp/connection.ts"
import type { SocksProxy } from "../../../probe-node/smtp/socks5.ts"
import type { Playbook, ProbeRequest, RecipientLine } from "../../../schema/wire/probe.ts"

export const PLAYBOOK: Playbook = {
  operator: "test",
  pipelining: true,
  starttls: true,
  control: "same-session",
  recipientsPerSession: 20,
  sessionsPerHost: 20,
}

const LIMITS: PacingLimits = {
  concurrency: 200,
  queue: 1_000,
  ratePerSlot: Number.POSITIVE_INFINITY,
  budget: { perDay: null, warmUpFromMs: null },
}

export interface EngineSetup {
  readonly port: number
  /** Addresses by MX host. Other hosts have none. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  readonly replyTimeoutMs?: Partial<EngineDeps["replyTimeoutMs"]>
  readonly allowPrivate?: boolean
  readonly sourceIps?: readonly string[]
  readonly proxy?: SocksProxy
  readonly limits?: Partial<PacingLimits>
}

/** A node's engine that dials loopback and resolves only these hosts. */
export function testEngine({ port, hosts = {}, ...setup }: EngineSetup): EngineDeps {
  const proxy = setup.proxy ?? null
  const limits = { ...LIMITS, ...setup.limits }
  return {
    heloName: "probe.test",
    envelopeSender: "me@probe.test",
    random: () => 0.5,
    proxy,
    replyTimeoutMs: { ...REPLY_TIMEOUT_MS, ...setup.replyTimeoutMs },
    dialPort: createDialPort({ allowPrivate: setup.allowPrivate ?? true, sandbox: null, smtpPort: port }),
    pacer: new Pacer(limits, Date.now),
    endpointLimiter: createEndpointLimiter(limits, Date.now),
    sources: createSources(setup.sourceIps ?? [], proxy),
    resolver: {
      async addresses(host) {
        const addresses = hosts[host] ?? []
        return addresses.length > 0 ? { kind: "addresses", addresses } : { kind: "none", detail: "ENOTFOUND" }
      },
    },
  }
}

export interface ProbeSetup {
  readonly to: readonly string[]
  readonly controls?: readonly string[]
  readonly mx?: ProbeRequest["groups"][number]["mx"]
  readonly playbook?: Partial<Playbook>
  readonly request?: Partial<ProbeRequest>
}

export function probeRequest({ to, controls = [], mx, playbook, request }: ProbeSetup): ProbeRequest {
  return {
    requestId: "test",
    deadlineMs: 60_000,
    priority: "interactive",
    sourceIp: null,
    avoidSourceIps: [],
    groups: [
      {
        mx: mx ?? [{ host: "mx.test", preference: 10 }],
        playbook: { ...PLAYBOOK, ...playbook },
        recipients: to.map((address, index) => ({ index, address })),
        controls: [...controls],
      },
    ],
    ...request,
  }
}

/** Runs a probe and returns its lines in the order of the recipients. */
export async function probe(engine: EngineDeps, setup: ProbeSetup): Promise<RecipientLine[]> {
  const lines: RecipientLine[] = []
  await new ProbeRun(engine, probeRequest(setup), (line) => lines.push(line)).done
  return lines.toSorted((one, other) => one.index - other.index)
}

/** An outcome in short form: "rcpt 250" or "connect refused". */
export function brief(outcome: RecipientLine["control"]): string {
  if (!outcome) return "none"
  return `${outcome.stage} ${outcome.kind === "reply" ? outcome.reply.code : outcome.failure}`
}
