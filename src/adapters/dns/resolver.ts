import { inTime } from "../in-time.ts"
import type { Fetch } from "../outbound.ts"
import {
  type DnsAnswer,
  type DnsFailure,
  type DnsFailureReason,
  dnsFailure,
  type NegativeAnswer,
  type RecordType,
} from "./answer.ts"
import { askResolver } from "./exchange.ts"
import { createDnsMemory, type DnsMemory } from "./memory.ts"
import { questionName } from "./message.ts"
import { createTurns } from "./turns.ts"

export interface Dns {
  /**
   * Looks a name up. A negative answer for MX, A or AAAA is agreed by two resolvers where two are configured.
   * @param name a domain name in A-label form, in any case
   */
  resolve<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>>
}

export interface DnsOptions {
  /** RFC 8484 endpoints in order of preference. Nothing else is ever fetched, whatever names are looked up. */
  readonly urls: readonly string[]
  readonly fetch: Fetch
  /** Unix milliseconds. */
  readonly now: () => number
  readonly memory?: DnsMemory
  /** One exchange with one resolver, and a whole lookup over all of them. */
  readonly tryMs?: number
  readonly lookupMs?: number
}

const TRY_MS = 2_000
const LOOKUP_MS = 5_000
/**
 * Lookups at a time: what the twelve domains of one list ask for. A Worker waits for six connections and keeps the rest in
 * a line of its own, where the time of a question can be over before it leaves; in ours no time runs.
 */
const AT_A_TIME = 36
/** Types whose absence condemns a domain. */
const AGREED_TYPES: ReadonlySet<RecordType> = new Set(["MX", "A", "AAAA"])
/** Failures of the resolver itself, rather than of the name asked about. */
const RESOLVER_FAILURES: ReadonlySet<DnsFailureReason> = new Set([
  "timeout",
  "unreachable",
  "http_status",
  "content_type",
  "too_large",
  "malformed",
  "mismatch",
])

const isolateMemory = createDnsMemory()

/** A client for one request: lookups in flight are shared within it, finished answers through `memory`. */
export function createDns(options: DnsOptions): Dns {
  const { fetch, now, memory = isolateMemory, tryMs = TRY_MS, lookupMs = LOOKUP_MS } = options
  const urls = [...new Set(options.urls)]
  const inTurn = createTurns(AT_A_TIME)
  const inFlight = new Map<string, Promise<DnsAnswer<RecordType>>>()

  async function ask<T extends RecordType>(url: string, question: Question<T>, ms: number): Promise<DnsAnswer<T>> {
    if (question.deadline.aborted) return dnsFailure("timeout", "lookup took too long")
    const answer = await inTime(ms, (ours) => {
      const signal = AbortSignal.any([question.deadline, ours])
      return askResolver({ url, fetch, signal }, question.name, question.type)
    })
    if (answer.kind === "failure" && RESOLVER_FAILURES.has(answer.reason)) memory.noteFailure(url, now())
    else memory.noteAnswer(url, now())
    if (answer.kind !== "failure") return answer
    return { ...answer, detail: `${new URL(url).host}: ${answer.detail}` }
  }

  async function lookUp<T extends RecordType>(question: Question<T>): Promise<DnsAnswer<T>> {
    const votesNeeded = AGREED_TYPES.has(question.type) ? Math.min(2, urls.length) : 1
    const negatives: NegativeAnswer[] = []
    const failures: DnsFailure[] = []
    const disgrace = (url: string) => memory.disgrace(url, now())
    // Nearly every host lacks an IPv6 address: while one resolver is down, all of them would wait for its vote.
    const voteMs = (url: string) => (disgrace(url) > tryMs ? tryMs / 4 : tryMs)
    for (const url of urls.toSorted((a, b) => disgrace(a) - disgrace(b))) {
      const answer = await ask(url, question, negatives.length > 0 ? voteMs(url) : tryMs)
      if (answer.kind === "failure") failures.push(answer)
      else if (answer.kind === "records") return negatives.length === 0 ? answer : disagreement(url)
      else if (negatives.push(answer) === votesNeeded) return agreed(negatives)
    }
    return inconclusive(negatives, failures)
  }

  return {
    async resolve<T extends RecordType>(text: string, type: T): Promise<DnsAnswer<T>> {
      const name = questionName(text)
      if (name === null) return dnsFailure("bad_name", "not a domain name in A-label form")
      const key = `${type} ${name} ${urls.join(",")}`
      const kept = memory.recall(key, now())
      if (kept) return kept as DnsAnswer<T>
      const shared = inFlight.get(key)
      if (shared) return shared as Promise<DnsAnswer<T>>
      const lookup = inTurn(() => inTime(lookupMs, (deadline) => lookUp({ name, type, deadline }))).finally(() =>
        inFlight.delete(key),
      )
      inFlight.set(key, lookup)
      const answer = await lookup
      memory.keep(key, answer, now())
      return answer
    },
  }
}

interface Question<T extends RecordType> {
  readonly name: string
  readonly type: T
  readonly deadline: AbortSignal
}

/** All of them deny the record; the name itself is only denied when every one of them says so. */
function agreed(negatives: readonly NegativeAnswer[]): NegativeAnswer {
  const kind = negatives.every((negative) => negative.kind === "no_such_domain") ? "no_such_domain" : "no_data"
  return { kind, ttlSeconds: Math.min(...negatives.map(({ ttlSeconds }) => ttlSeconds)) }
}

function disagreement(url: string): DnsFailure {
  return dnsFailure("disagreement", `${new URL(url).host} has records that another resolver denies`)
}

/** What the name servers said about the name tells more than what the network did to a resolver. */
function inconclusive(negatives: readonly NegativeAnswer[], failures: readonly DnsFailure[]): DnsFailure {
  const detail = failures.map((failure) => failure.detail).join("; ")
  if (negatives.length > 0) return dnsFailure("unconfirmed", `denied by one resolver only; ${detail}`)
  const telling = failures.find(({ reason }) => !RESOLVER_FAILURES.has(reason)) ?? failures[0]
  return dnsFailure(telling?.reason ?? "unreachable", detail || "no resolver configured")
}
