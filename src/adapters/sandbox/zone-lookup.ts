import type { Answer, Question, SoaAnswer } from "dns-packet"
import { APEXES, NEGATIVE_TTL_SECONDS, type Records, TTL_SECONDS, ZONE } from "./zone.ts"

export type ZoneAnswer =
  | {
      readonly kind: "answer"
      readonly rcode: number
      readonly answers: readonly Answer[]
      readonly authorities: readonly Answer[]
    }
  | { readonly kind: "silent" }
  | { readonly kind: "outside" }

const NO_ERROR = 0
const SERV_FAIL = 2
const NX_DOMAIN = 3
const LONGEST_CHAIN = 8

/** Empty non-terminals, which only have names below them: NOERROR instead of NXDOMAIN (RFC 8020 §2). */
const NON_TERMINALS = new Set([...ZONE.keys()].flatMap(ancestors))

/** Answers a question from the zone: records, a CNAME chain, NODATA or NXDOMAIN with the SOA (RFC 2308). */
export function lookUp({ name: spelled, type }: Question): ZoneAnswer {
  const name = spelled.toLowerCase().replace(/\.$/, "")
  if (!apexOf(name)) return { kind: "outside" }
  const fault = faultOf(name)
  if (fault === "silent") return { kind: "silent" }
  if (fault === "servfail") return failed()
  // Returns the name in the client's spelling: some clients send random capitals and compare.
  return follow({ owner: spelled.replace(/\.$/, ""), name, type, chain: [] })
}

interface Following {
  readonly owner: string
  readonly name: string
  readonly type: string
  readonly chain: readonly Answer[]
}

function follow({ owner, name, type, chain }: Following): ZoneAnswer {
  const records = ZONE.get(name) ?? wildcardOf(name)
  if (!records) return negative(name, NON_TERMINALS.has(name) ? NO_ERROR : NX_DOMAIN, chain)
  const [target] = records.CNAME ?? []
  if (target && type !== "CNAME") {
    if (chain.length >= LONGEST_CHAIN) return failed()
    const alias: Answer = { type: "CNAME", name: owner, ttl: TTL_SECONDS, data: target }
    return follow({ owner: target, name: target, type, chain: [...chain, alias] })
  }
  const answers = answersOf(owner, records, type)
  if (answers.length === 0) return negative(name, NO_ERROR, chain)
  return { kind: "answer", rcode: NO_ERROR, answers: [...chain, ...answers], authorities: [] }
}

/** The wildcard records for a missing name, from its closest existing ancestor (RFC 4592 §3.3.1). */
function wildcardOf(name: string): Records | undefined {
  if (NON_TERMINALS.has(name)) return undefined
  const closest = ancestors(name).find((above) => ZONE.has(above) || NON_TERMINALS.has(above))
  return closest === undefined ? undefined : ZONE.get(`*.${closest}`)
}

function answersOf(name: string, records: Records, type: string): Answer[] {
  const ttl = TTL_SECONDS
  switch (type) {
    case "MX":
      return (records.MX ?? []).map(([preference, exchange]) => ({ type, name, ttl, data: { preference, exchange } }))
    case "TXT":
      return (records.TXT ?? []).map((data) => ({ type, name, ttl, data }))
    case "A":
    case "AAAA":
    case "NS":
    case "PTR":
    case "CNAME":
      return (records[type] ?? []).map((data) => ({ type, name, ttl, data }))
    case "SOA":
      return APEXES.some((apex) => apex === name.toLowerCase()) ? [soa(name)] : []
    default:
      return []
  }
}

function negative(name: string, rcode: number, chain: readonly Answer[]): ZoneAnswer {
  return { kind: "answer", rcode, answers: chain, authorities: [soa(apexOf(name) ?? "test")] }
}

function failed(): ZoneAnswer {
  return { kind: "answer", rcode: SERV_FAIL, answers: [], authorities: [] }
}

/** Its minimum is the cache time of a negative answer (RFC 2308 §4). */
function soa(apex: string): SoaAnswer {
  return {
    type: "SOA",
    name: apex,
    ttl: NEGATIVE_TTL_SECONDS,
    data: {
      mname: "ns.sandbox.test",
      rname: "hostmaster.sandbox.test",
      serial: 1,
      refresh: 3_600,
      retry: 600,
      expire: 86_400,
      minimum: NEGATIVE_TTL_SECONDS,
    },
  }
}

function apexOf(name: string): string | undefined {
  return APEXES.find((apex) => name === apex || name.endsWith(`.${apex}`))
}

function faultOf(name: string): Records["fault"] {
  return [name, ...ancestors(name)].map((one) => ZONE.get(one)?.fault).find((fault) => fault !== undefined)
}

function ancestors(name: string): string[] {
  const labels = name.split(".")
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."))
}
