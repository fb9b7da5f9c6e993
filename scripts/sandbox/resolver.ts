import type { Answer, DecodedPacket, Question } from "dns-packet"
import * as dns from "dns-packet"
import type { Journal } from "./journal.ts"
import type { Upstream } from "./upstream.ts"
import { lookUp, type ZoneAnswer } from "./zone-lookup.ts"

export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4 } as const

const OPCODE_MASK = 0x7800
const PLAIN_UDP_BYTES = 512 // RFC 1035 §4.2.1
const LARGEST_UDP_BYTES = 1_232 // fits without fragmentation (DNS flag day 2020)

/** Answers DNS messages: names in the zone locally, all others through the upstream resolver. */
export class Resolver {
  readonly #journal: Journal
  readonly #upstream: Upstream

  constructor({ journal, upstream }: { journal: Journal; upstream: Upstream }) {
    this.#journal = journal
    this.#upstream = upstream
  }

  /** Answers one message in wire format; null lets the client time out. */
  async answer(message: Buffer, via: "udp" | "tcp" | "doh"): Promise<Buffer | null> {
    const query = decode(message)
    if (!query || query.flag_qr) return null
    const [question] = query.questions ?? []
    if ((query.flags ?? 0) & OPCODE_MASK) return reply(query, { rcode: RCODE.notImp })
    if (!question || query.questions?.length !== 1) return reply(query, { rcode: RCODE.formErr })
    const answer = await this.#resolve(message, query, question)
    const rcode = answer && answer.readUInt8(3) & 0x0f
    this.#journal.query({ at: new Date().toISOString(), via, name: question.name, type: question.type, rcode })
    return answer && via === "udp" ? fitUdp(answer, query) : answer
  }

  async #resolve(message: Buffer, query: DecodedPacket, question: Question): Promise<Buffer | null> {
    const found = lookUp(question)
    if (found.kind === "silent") return null
    if (found.kind === "answer") return reply(query, found)
    return (await this.#upstream.query(message)) ?? reply(query, { rcode: RCODE.servFail })
  }
}

type Outcome = Omit<Partial<Extract<ZoneAnswer, { kind: "answer" }>>, "rcode"> & { readonly rcode: number }

function reply(query: DecodedPacket, { rcode, answers = [], authorities = [] }: Outcome): Buffer {
  const authoritative = rcode === RCODE.noError || rcode === RCODE.nxDomain ? dns.AUTHORITATIVE_ANSWER : 0
  const flags = ((query.flags ?? 0) & dns.RECURSION_DESIRED) | dns.RECURSION_AVAILABLE | authoritative | rcode
  return dns.encode({
    type: "response",
    id: query.id ?? 0,
    flags,
    questions: query.questions ?? [],
    answers: [...answers],
    authorities: [...authorities],
    additionals: ednsSize(query) === null ? [] : [OPT],
  })
}

const OPT: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: LARGEST_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

/** Truncates an answer that exceeds a datagram and sets TC, so that the client retries over TCP. */
function fitUdp(answer: Buffer, query: DecodedPacket): Buffer {
  const limit = Math.min(Math.max(ednsSize(query) ?? PLAIN_UDP_BYTES, PLAIN_UDP_BYTES), LARGEST_UDP_BYTES)
  if (answer.length <= limit) return answer
  const { id = 0, flags = 0 } = dns.decode(answer)
  return dns.encode({
    type: "response",
    id,
    flags: flags | dns.TRUNCATED_RESPONSE,
    questions: query.questions ?? [],
    additionals: ednsSize(query) === null ? [] : [OPT],
  })
}

/** The payload size in an EDNS query (RFC 6891 §6.2.3); null for a query without EDNS. */
function ednsSize({ additionals = [] }: DecodedPacket): number | null {
  const opt = additionals.find((record) => record.type === "OPT")
  return opt?.type === "OPT" ? opt.udpPayloadSize : null
}

function decode(message: Buffer): DecodedPacket | null {
  try {
    return dns.decode(message)
  } catch {
    return null
  }
}
