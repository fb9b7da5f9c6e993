import { createDialPort } from "../../probe-node/address-policy.ts"
import type { EngineNeeds } from "../../probe-node/chunk-run.ts"
import { createDoors, Pacer, type PacingLimits } from "../../probe-node/pacing.ts"
import { ProbeRun } from "../../probe-node/probe.ts"
import { PATIENCE_MS } from "../../probe-node/smtp/connection.ts"
import type { SocksProxy } from "../../probe-node/smtp/socks5.ts"
import { createSources } from "../../probe-node/sources.ts"
import type { Playbook, ProbeRequest, RecipientLine } from "../../schema/wire/probe.ts"

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
  /** Addresses by MX host; a host that is not here has none. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  readonly patienceMs?: Partial<EngineNeeds["patienceMs"]>
  readonly allowPrivate?: boolean
  readonly sourceIps?: readonly string[]
  readonly proxy?: SocksProxy
  readonly limits?: Partial<PacingLimits>
}

/** The engine of a node that dials loopback, with a resolver that knows only these hosts. */
export function testEngine({ port, hosts = {}, ...setup }: EngineSetup): EngineNeeds {
  const proxy = setup.proxy ?? null
  const limits = { ...LIMITS, ...setup.limits }
  return {
    heloName: "probe.test",
    envelopeSender: "me@probe.test",
    random: () => 0.5,
    proxy,
    patienceMs: { ...PATIENCE_MS, ...setup.patienceMs },
    dialPort: createDialPort({ allowPrivate: setup.allowPrivate ?? true, sandbox: null, smtpPort: port }),
    pacer: new Pacer(limits, Date.now),
    doors: createDoors(limits, Date.now),
    sources: createSources(setup.sourceIps ?? [], proxy),
    resolver: {
      async addresses(host) {
        const addresses = hosts[host] ?? []
        return addresses.length > 0 ? { kind: "addresses", addresses } : { kind: "none", detail: "ENOTFOUND" }
      },
    },
  }
}

export interface Question {
  readonly to: readonly string[]
  readonly controls?: readonly string[]
  readonly mx?: ProbeRequest["groups"][number]["mx"]
  readonly playbook?: Partial<Playbook>
  readonly request?: Partial<ProbeRequest>
}

export function probeRequest({ to, controls = [], mx, playbook, request }: Question): ProbeRequest {
  return {
    requestId: "test",
    deadlineMs: 5_000,
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

/** Asks the engine and collects its lines in the order of the recipients. */
export async function ask(engine: EngineNeeds, question: Question): Promise<RecipientLine[]> {
  const lines: RecipientLine[] = []
  await new ProbeRun(engine, probeRequest(question), (line) => lines.push(line)).done
  return lines.toSorted((one, other) => one.index - other.index)
}

/** An outcome in short words: "rcpt 250" or "connect refused". */
export function brief(outcome: RecipientLine["control"]): string {
  if (!outcome) return "none"
  return `${outcome.stage} ${outcome.kind === "reply" ? outcome.reply.code : outcome.failure}`
}
