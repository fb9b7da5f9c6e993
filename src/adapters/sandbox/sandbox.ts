import { Buffer } from "node:buffer"
import packet from "dns-packet"
import type { ProbeGroup, ProbeRequest } from "../../../schema/wire/probe.ts"
import type { RblAnswer, RblRequest } from "../../../schema/wire/rbl.ts"
import { isTestName } from "../../domain/accounts/test-mode.ts"
import { classifyOutcome } from "../../domain/smtp-reply/classify-reply.ts"
import { type DnsAnswer, dnsFailure, questionName, type RecordType, readAnswer } from "../dns/message.ts"
import type { Dns } from "../dns/resolver.ts"
import type { NodeLine } from "../fleet/dispatch.ts"
import type { ProbeAnswer, Probes, Rbl } from "../fleet/fleet.ts"

/** The id and the region of the node that answers for the sandbox. It is not part of the fleet. */
const SANDBOX_NODE = "sandbox"

/** Answers names under `.test` from the sandbox's zone, and passes all others on. Nothing about `.test` leaves the Worker. */
export function withSandboxNames(dns: Dns): Dns {
  return {
    async resolve<T extends RecordType>(text: string, type: T, options?: Parameters<Dns["resolve"]>[2]) {
      const name = questionName(text)
      return name !== null && isTestName(name) ? fromZone(name, type) : dns.resolve(text, type, options)
    },
  }
}

/** The answer as a resolver reads it from the wire, so that a sandbox domain is judged like any other. */
async function fromZone<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>> {
  const { lookUp } = await import("./zone-lookup.ts")
  const found = lookUp({ name, type })
  if (found.kind !== "answer") return dnsFailure("timeout", "no answer in time")
  const { rcode, answers, authorities } = found
  const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
  const questions = [{ name, type, class: "IN" as const }]
  const sections = { answers: [...answers], authorities: [...authorities] }
  return readAnswer(Buffer.from(packet.encode({ type: "response", id: 0, flags, questions, ...sections })), name, type)
}

/** Lets the sandbox's mail hosts answer for `.test`, and the fleet for all others. */
export function withSandboxMailHosts(probes: Probes): Probes {
  return {
    ...probes,
    async probe(request, options) {
      const isSandbox = ({ mx }: ProbeGroup) => mx.every(({ host }) => isTestName(host))
      const [own, others] = [request.groups.filter(isSandbox), request.groups.filter((group) => !isSandbox(group))]
      if (own.length === 0) return probes.probe(request, options)
      const first = options.avoidNodes?.includes(SANDBOX_NODE) ? [] : await linesOf({ ...request, groups: own })
      const rest = others.length > 0 ? await probes.probe({ ...request, groups: others }, options) : NO_NODE
      return { kind: "lines", lines: inTurn(first, rest) }
    },
  }
}

const NO_NODE: ProbeAnswer = { kind: "unavailable" }

async function linesOf(request: ProbeRequest): Promise<NodeLine[]> {
  const { probeMailHosts } = await import("./probe-mail-hosts.ts")
  return probeMailHosts(request).map((line) => ({
    ...line,
    classified: classifyOutcome(line.outcome, line.session),
    nodeId: SANDBOX_NODE,
    region: SANDBOX_NODE,
    isPrivate: false,
    isSuspect: false,
  }))
}

async function* inTurn(first: readonly NodeLine[], rest: ProbeAnswer): AsyncGenerator<NodeLine> {
  yield* first
  if (rest.kind === "lines") yield* rest.lines
}

/** Lets the sandbox's blocklists answer for its mail hosts, which have no public addresses, and a node for all others. */
export function withSandboxBlocklists(rbl: Rbl): Rbl {
  return {
    async query(lookup) {
      if (!lookup.ips.some((ip) => ip.startsWith("127."))) return rbl.query(lookup)
      return blocklistsOf(lookup)
    },
  }
}

async function blocklistsOf({ ips }: Pick<RblRequest, "ips">): Promise<RblAnswer> {
  const [{ RBL_ZONES }, { lookUp }] = await Promise.all([import("./zone.ts"), import("./zone-lookup.ts")])
  const recordsOf = (ip: string, zone: string) => {
    const found = lookUp({ name: `${ip.split(".").toReversed().join(".")}.${zone}`, type: "A" })
    return found.kind === "answer" ? found.answers.flatMap((one) => (one.type === "A" ? [one.data] : [])) : null
  }
  const zones = RBL_ZONES.map((zone) => ({
    zone,
    listedTestPoint: recordsOf("127.0.0.2", zone),
    cleanTestPoint: recordsOf("127.0.0.1", zone),
    answers: ips.map((ip) => ({ ip, records: recordsOf(ip, zone) })),
  }))
  return { requestId: "", zones }
}
