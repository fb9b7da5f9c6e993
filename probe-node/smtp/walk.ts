import type { MxAttempt, RecipientOutcome } from "../../schema/wire/probe.ts"
import { type DialPort, isLoopback } from "../address-policy.ts"
import type { Resolver } from "../resolver.ts"
import { type SessionEvents, type SessionResult, type SessionTarget, SmtpSession } from "./connection.ts"
import type { ConversationEnd, ConversationPlan } from "./conversation.ts"
import type { SocksProxy } from "./socks5.ts"

export interface WalkNeeds {
  readonly resolver: Resolver
  readonly dialPort: DialPort
  readonly random: () => number
  readonly proxy: SocksProxy | null
  readonly patienceMs: SessionTarget["patienceMs"]
}

export interface WalkOptions {
  readonly mx: readonly { readonly host: string; readonly preference: number }[]
  /** Source IPs to connect from, the wanted one first; empty lets the system choose. */
  readonly sourceIps: readonly string[]
  readonly wallAt: number
  /** Told of every session, so that it can be cut when the caller goes away. */
  readonly onSession: (session: SmtpSession) => void
  readonly isCancelled: () => boolean
}

const MAX_HOSTS = 5
const MAX_ADDRESSES_PER_HOST = 3
const MAX_CONNECTIONS = 8

interface Place {
  readonly mxHost: string
  readonly address: string
  readonly port: number
  readonly sourceIp: string | null
}

/** The way through a domain's mail hosts, which goes on where it stopped when a further session is wanted. */
export class MxWalk {
  readonly attempts: MxAttempt[] = []
  /** Resolves when the last connection is closed. */
  closed: Promise<void> = Promise.resolve()
  readonly #needs: WalkNeeds
  readonly #options: WalkOptions
  readonly #hosts: string[]
  #places: Place[] = []
  #place: Place | null = null
  #connections = 0

  constructor(needs: WalkNeeds, options: WalkOptions) {
    this.#needs = needs
    this.#options = options
    this.#hosts = inOrder(options.mx, needs.random)
  }

  /**
   * Holds one conversation with the first host that talks to us, by preference; gives what the last host said when
   * none does. A host that answered a RCPT is the last one asked (RFC 5321 §5.1).
   */
  async converse(plan: ConversationPlan, events: SessionEvents): Promise<SessionResult> {
    let last: SessionResult | null = null
    for (;;) {
      this.#place ??= await this.#nextPlace()
      const place = this.#place
      if (!place || this.#connections >= MAX_CONNECTIONS || this.#options.isCancelled()) return last ?? this.#nobody()
      last = await this.#talk(place, plan, events)
      if (last.progress > 0 || !isWorthAnotherHost(last.end)) return last
      this.#note(place, last)
      this.#place = null
    }
  }

  async #talk(place: Place, plan: ConversationPlan, events: SessionEvents): Promise<SessionResult> {
    const result = await this.#connect(place, { plan, events, tlsProblem: null })
    if (result.end.kind !== "failed" || result.end.failure !== "tls" || result.progress > 0) return result
    return this.#connect(place, { plan: { ...plan, starttls: false }, events, tlsProblem: result.end.detail })
  }

  #connect(
    place: Place,
    { plan, events, tlsProblem }: { plan: ConversationPlan; events: SessionEvents; tlsProblem: string | null },
  ): Promise<SessionResult> {
    this.#connections++
    const session = new SmtpSession(
      {
        ...place,
        proxy: this.#needs.proxy,
        patienceMs: this.#needs.patienceMs,
        wallAt: this.#options.wallAt,
        tlsProblem,
      },
      plan,
      events,
    )
    this.closed = session.closed
    this.#options.onSession(session)
    return session.result
  }

  #note({ mxHost, address }: Place, { end, ms }: SessionResult): void {
    const outcome = outcomeOfEnd(end, ms)
    if (outcome) this.attempts.push({ mxHost, address, outcome })
  }

  /** No host could be connected to; the last attempt tells why. */
  #nobody(): SessionResult {
    const last = this.attempts.at(-1)?.outcome
    const end: ConversationEnd =
      last?.kind === "failure"
        ? { kind: "failed", stage: last.stage, failure: last.failure, detail: last.detail }
        : { kind: "failed", stage: "connect", failure: "unreachable", detail: "no host left to try" }
    return { end, report: null, progress: 0, ms: 0 }
  }

  /** The next address to connect to; a host without a usable one is noted and passed over. */
  async #nextPlace(): Promise<Place | null> {
    while (this.#places.length === 0) {
      const mxHost = this.#hosts.shift()
      if (mxHost === undefined) return null
      const found = await this.#needs.resolver.addresses(mxHost)
      if (found.kind === "none") this.#skip(mxHost, "dns", found.detail)
      else this.#places = this.#placesOf(mxHost, found.addresses)
    }
    return this.#places.shift()!
  }

  #placesOf(mxHost: string, addresses: readonly string[]): Place[] {
    const places: Place[] = []
    let wrongFamily = false
    for (const address of addresses) {
      const port = this.#needs.dialPort(address)
      const sourceIp = port === null ? undefined : sourceFor(address, this.#options.sourceIps)
      wrongFamily ||= port !== null && sourceIp === undefined
      if (port !== null && sourceIp !== undefined) places.push({ mxHost, address, port, sourceIp })
    }
    if (wrongFamily && places.length === 0) this.#skip(mxHost, "unreachable", "no source IP of this address family")
    else if (places.length === 0) this.#skip(mxHost, "blocked_address", "not a public address")
    return places.slice(0, MAX_ADDRESSES_PER_HOST)
  }

  #skip(mxHost: string, failure: "dns" | "blocked_address" | "unreachable", detail: string): void {
    const outcome: RecipientOutcome = { kind: "failure", stage: "connect", failure, detail, ms: 0 }
    this.attempts.push({ mxHost, address: null, outcome })
  }
}

/** What an end of a conversation means for an ask that got no answer in it; null when nothing was wrong. */
export function outcomeOfEnd(end: ConversationEnd, ms: number): RecipientOutcome | null {
  if (end.kind === "refused") return { kind: "reply", stage: end.stage, reply: end.reply }
  if (end.kind !== "failed") return null
  const { stage, failure, detail } = end
  return { kind: "failure", stage, failure, detail: detail.slice(0, 200), ms: Math.round(ms) }
}

/** Our own walls are not the host's fault, and a refusal at MAIL or RCPT is its answer. */
function isWorthAnotherHost(end: ConversationEnd): boolean {
  if (end.kind === "refused") return ["banner", "ehlo", "starttls"].includes(end.stage) || isClosing(end)
  return end.kind === "failed" && end.failure !== "deadline" && end.failure !== "shutdown"
}

function isClosing({ stage, reply }: { stage: string; reply: { code: number } }): boolean {
  return reply.code === 421 && stage !== "rcpt"
}

/** By preference, at random among equals (RFC 5321 §5.1). */
function inOrder(mx: WalkOptions["mx"], random: () => number): string[] {
  if (mx.length === 1) return [mx[0]!.host]
  return mx
    .map(({ host, preference }) => ({ host, preference, lot: random() }))
    .sort((one, other) => one.preference - other.preference || one.lot - other.lot)
    .slice(0, MAX_HOSTS)
    .map(({ host }) => host)
}

/** A loopback source reaches only loopback. Null: the system's choice; undefined: no source of this family. */
function sourceFor(address: string, sourceIps: readonly string[]): string | null | undefined {
  const usable = sourceIps.filter((ip) => !isLoopback(ip) || isLoopback(address))
  if (usable.length === 0) return null
  return usable.find((ip) => ip.includes(":") === address.includes(":"))
}
