import { Buffer } from "node:buffer"
import { createSharedTimeout } from "../../concurrency/deadlines.ts"
import { type Fetch, USER_AGENT } from "../outbound.ts"
import { createDnsMemory, type DnsMemory } from "./memory.ts"
import {
  type DnsAnswer,
  type DnsFailure,
  type DnsFailureReason,
  dnsFailure,
  encodeQuery,
  type NegativeAnswer,
  questionName,
  type RecordType,
  readAnswer,
} from "./message.ts"

export interface Dns {
  /**
   * Looks up a name. Where two resolvers are configured, both must confirm a negative answer for MX, A or AAAA.
   * @param name a domain name in A-label form, in any case
   * @param options.confirm false accepts the negative answer of one resolver and marks it as `isUnconfirmed`
   */
  resolve<T extends RecordType>(name: string, type: T, options?: ResolveOptions): Promise<DnsAnswer<T>>
}

interface ResolveOptions {
  readonly confirm: boolean
}

interface DnsOptions {
  /** RFC 8484 endpoints in order of preference. No other URL is fetched. */
  readonly urls: readonly string[]
  readonly fetch: Fetch
  /** Unix milliseconds. */
  readonly now: () => number
  readonly memory?: DnsMemory
  /** Time limits of one exchange with one resolver and of a whole lookup. */
  readonly tryMs?: number
  readonly lookupMs?: number
}

const TRY_MS = 2_000
const LOOKUP_MS = 5_000
/**
 * Concurrent lookups: enough for the twelve domains of one list. A Worker opens six connections and queues the rest,
 * where a request can time out before it is sent. Time in this queue does not count.
 */
const MAX_CONCURRENT = 36
/** Types whose absence makes a domain undeliverable. */
const AGREED_TYPES: ReadonlySet<RecordType> = new Set(["MX", "A", "AAAA"])
/** Failures of the resolver itself, not of the queried name. */
const RESOLVER_FAILURES: ReadonlySet<DnsFailureReason> = new Set([
  "timeout",
  "unreachable",
  "http_status",
  "content_type",
  "too_large",
  "malformed",
  "mismatch",
])

const CONFIRMED: ResolveOptions = { confirm: true }
const isolateMemory = createDnsMemory()

/** A client for one request. It shares pending lookups within the request, and answers through `memory`. */
export function createDns(options: DnsOptions): Dns {
  const { fetch, now, memory = isolateMemory, tryMs = TRY_MS, lookupMs = LOOKUP_MS } = options
  const urls = [...new Set(options.urls)]
  const inTime = createSharedTimeout(now)
  const limited = createConcurrencyLimit(MAX_CONCURRENT)
  const inFlight = new Map<string, Promise<DnsAnswer<RecordType>>>()

  async function query<T extends RecordType>(url: string, question: Question<T>, ms: number): Promise<DnsAnswer<T>> {
    const leftMs = question.deadlineAt - now()
    if (leftMs <= 0) return dnsFailure("timeout", "lookup took too long")
    const answer = await inTime(Math.min(ms, leftMs), (signal) =>
      queryResolver({ url, fetch, signal }, question.name, question.type),
    )
    if (answer.kind === "failure" && RESOLVER_FAILURES.has(answer.reason)) memory.recordFailure(url, now())
    else memory.recordAnswer(url, now())
    if (answer.kind !== "failure") return answer
    return { ...answer, detail: `${new URL(url).host}: ${answer.detail}` }
  }

  async function lookUp<T extends RecordType>(question: Question<T>): Promise<DnsAnswer<T>> {
    const { votesNeeded, isUnconfirmed } = votesOn(question, urls.length)
    const negatives: NegativeAnswer[] = []
    const failures: DnsFailure[] = []
    const penaltyOf = (url: string) => memory.penalty(url, now())
    // Nearly every host lacks an IPv6 address, so every lookup would wait for the vote of a broken resolver.
    const voteMs = (url: string) => (penaltyOf(url) > tryMs ? tryMs / 4 : tryMs)
    for (const url of urls.toSorted((a, b) => penaltyOf(a) - penaltyOf(b))) {
      const answer = await query(url, question, negatives.length > 0 ? voteMs(url) : tryMs)
      if (answer.kind === "failure") failures.push(answer)
      else if (answer.kind === "records") return negatives.length === 0 ? answer : disagreement(url)
      else if (negatives.push(answer) === votesNeeded) return agreed(negatives, isUnconfirmed)
    }
    return inconclusive(negatives, failures)
  }

  return {
    async resolve<T extends RecordType>(text: string, type: T, { confirm } = CONFIRMED): Promise<DnsAnswer<T>> {
      const name = questionName(text)
      if (name === null) return dnsFailure("bad_name", "not a domain name in A-label form")
      const key = `${type} ${name} ${urls.join(",")}`
      const cached = memory.get(key, now())
      if (cached && !(confirm && "isUnconfirmed" in cached)) return cached as DnsAnswer<T>
      const flight = confirm ? key : `${key} unconfirmed`
      const shared = inFlight.get(flight)
      if (shared) return shared as Promise<DnsAnswer<T>>
      const lookup = limited(() => lookUp({ name, type, confirm, deadlineAt: now() + lookupMs })).finally(() =>
        inFlight.delete(flight),
      )
      inFlight.set(flight, lookup)
      const answer = await lookup
      memory.store(key, answer, now())
      return answer
    },
  }
}

interface Question<T extends RecordType> {
  readonly name: string
  readonly type: T
  readonly confirm: boolean
  /** Unix ms. */
  readonly deadlineAt: number
}

/** The number of resolvers that must deny a record, and whether that is fewer than confirm it. */
function votesOn({ type, confirm }: Pick<Question<RecordType>, "type" | "confirm">, resolvers: number) {
  const confirming = AGREED_TYPES.has(type) ? Math.min(2, resolvers) : 1
  return confirm ? { votesNeeded: confirming, isUnconfirmed: false } : { votesNeeded: 1, isUnconfirmed: confirming > 1 }
}

/** These resolvers deny the record. The name itself does not exist only when all of them say so. */
function agreed(negatives: readonly NegativeAnswer[], isUnconfirmed: boolean): NegativeAnswer {
  return {
    kind: negatives.every((negative) => negative.kind === "no_such_domain") ? "no_such_domain" : "no_data",
    ttlSeconds: Math.min(...negatives.map(({ ttlSeconds }) => ttlSeconds)),
    ...(negatives.some(({ isAlias }) => isAlias) ? { isAlias: true } : {}),
    ...(isUnconfirmed ? { isUnconfirmed: true } : {}),
  }
}

function disagreement(url: string): DnsFailure {
  return dnsFailure("disagreement", `${new URL(url).host} has records that another resolver denies`)
}

/** A failure of the name's servers says more than a network failure of a resolver. */
function inconclusive(negatives: readonly NegativeAnswer[], failures: readonly DnsFailure[]): DnsFailure {
  const detail = failures.map((failure) => failure.detail).join("; ")
  if (negatives.length > 0) return dnsFailure("unconfirmed", `denied by one resolver only; ${detail}`)
  const telling = failures.find(({ reason }) => !RESOLVER_FAILURES.has(reason)) ?? failures[0]
  return dnsFailure(telling?.reason ?? "unreachable", detail || "no resolver configured")
}

const MEDIA_TYPE = "application/dns-message"
const HEADERS = new Headers({ accept: MEDIA_TYPE, "content-type": MEDIA_TYPE, "user-agent": USER_AGENT })
/** A DNS message has a 16-bit length on every other transport, so a longer one is invalid. */
const MAX_MESSAGE_BYTES = 65_535

/** Queries one resolver once (RFC 8484). Every error becomes a failure answer; never rejects. */
export async function queryResolver<T extends RecordType>(
  { url, fetch, signal }: { url: string; fetch: Fetch; signal: AbortSignal },
  name: string,
  type: T,
): Promise<DnsAnswer<T>> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: HEADERS,
      body: encodeQuery(name, type),
      redirect: "manual", // fetch only the configured URLs
      signal,
    })
    const problem = findProblem(response)
    if (problem) {
      await response.body?.cancel()
      return problem
    }
    const bytes = await readBody(response)
    return bytes ? readAnswer(bytes, name, type) : dnsFailure("too_large", `over ${MAX_MESSAGE_BYTES} bytes`)
  } catch (error) {
    if (signal.aborted) return dnsFailure("timeout", "no answer in time")
    return dnsFailure("unreachable", error instanceof Error ? error.message : "fetch failed")
  }
}

function findProblem(response: Response): DnsFailure | null {
  if (response.status !== 200) return dnsFailure("http_status", `HTTP ${response.status}`)
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (mediaType !== MEDIA_TYPE) return dnsFailure("content_type", `content type ${mediaType ?? "missing"}`)
  return null
}

/** The body; null as soon as it exceeds the size of a DNS message. */
async function readBody(response: Response): Promise<Uint8Array | null> {
  const { headers } = response
  // HTTP bounds an uncompressed body with a stated length. Reading it at once costs half as much.
  if (!headers.has("content-encoding") && Number(headers.get("content-length") ?? Number.NaN) <= MAX_MESSAGE_BYTES)
    return new Uint8Array(await response.arrayBuffer())
  const reader = response.body?.getReader()
  let bytes: Uint8Array = new Uint8Array()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) return bytes
    if (bytes.length + value.length > MAX_MESSAGE_BYTES) {
      await reader?.cancel()
      return null
    }
    bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value])
  }
}

/** Runs at most `width` tasks at a time; others wait in order of arrival. */
function createConcurrencyLimit(width: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = width
  const waiting: (() => void)[] = []
  return async function run(work) {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
