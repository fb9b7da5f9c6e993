import { LINE_LIMITS, type MxAttempt, type RecipientOutcome } from "../../schema/wire/probe.ts"
import { type DialPort, isLoopback } from "../address-policy.ts"
import type { Resolver } from "../resolver.ts"

export interface RouteNeeds {
  readonly resolver: Resolver
  readonly dialPort: DialPort
  readonly random: () => number
}

/** Where to connect to, and from where. */
export interface Place {
  readonly mxHost: string
  readonly address: string
  readonly port: number
  /** Null lets the system choose. */
  readonly sourceIp: string | null
}

export type Mx = readonly { readonly host: string; readonly preference: number }[]

const MAX_HOSTS = 5
const MAX_ADDRESSES_PER_HOST = 3

/** The places at which a domain's mail hosts can be reached, in the order to try them, found as they are needed. */
export class Route {
  /** Hosts passed over, and what else the traveller notes. */
  readonly attempts: MxAttempt[] = []
  readonly #needs: RouteNeeds
  readonly #sourceIps: readonly string[]
  readonly #hosts: string[]
  #places: Place[] = []
  #isLeft = false

  /** @param sourceIps to connect from, the wanted one first; empty lets the system choose */
  constructor(needs: RouteNeeds, mx: Mx, sourceIps: readonly string[]) {
    this.#needs = needs
    this.#sourceIps = sourceIps
    this.#hosts = inOrder(mx, needs.random)
  }

  /** The next place; a host without a usable address is noted and passed over. Null when there is none left. */
  async next(): Promise<Place | null> {
    while (this.#places.length === 0) {
      const mxHost = this.#hosts.shift()
      if (mxHost === undefined) return null
      const found = await this.#needs.resolver.addresses(mxHost)
      if (this.#isLeft) return null
      if (found.kind === "none") this.#skip(mxHost, "dns", found.detail)
      else this.#places = this.#placesOf(mxHost, found.addresses)
    }
    return this.#places.shift()!
  }

  /** What a place came to that was no good; a reply is quoted in short. */
  note({ mxHost, address, outcome }: MxAttempt): void {
    if (this.attempts.length < LINE_LIMITS.attempts) this.attempts.push({ mxHost, address, outcome: inShort(outcome) })
  }

  /** Nobody travels on: no further host is looked up. */
  leave(): void {
    this.#isLeft = true
  }

  #placesOf(mxHost: string, addresses: readonly string[]): Place[] {
    const places: Place[] = []
    let wrongFamily = false
    for (const address of addresses) {
      const port = this.#needs.dialPort(address)
      const sourceIp = port === null ? undefined : sourceFor(address, this.#sourceIps)
      wrongFamily ||= port !== null && sourceIp === undefined
      if (port !== null && sourceIp !== undefined) places.push({ mxHost, address, port, sourceIp })
    }
    if (wrongFamily && places.length === 0) this.#skip(mxHost, "unreachable", "no source IP of this address family")
    else if (places.length === 0) this.#skip(mxHost, "blocked_address", "not a public address")
    return places.slice(0, MAX_ADDRESSES_PER_HOST)
  }

  #skip(mxHost: string, failure: "dns" | "blocked_address" | "unreachable", detail: string): void {
    const outcome: RecipientOutcome = { kind: "failure", stage: "connect", failure, detail, ms: 0 }
    this.note({ mxHost, address: null, outcome })
  }
}

function inShort(outcome: RecipientOutcome): RecipientOutcome {
  if (outcome.kind === "failure") return outcome
  const { reply } = outcome
  return { ...outcome, reply: { ...reply, text: reply.text.slice(0, LINE_LIMITS.attemptTextChars).toWellFormed() } }
}

/** By preference, at random among equals (RFC 5321 §5.1). */
function inOrder(mx: Mx, random: () => number): string[] {
  if (mx.length === 1) return [mx[0]!.host]
  return mx
    .map(({ host, preference }) => ({ host, preference, lot: random() }))
    .sort((one, other) => one.preference - other.preference || one.lot - other.lot)
    .slice(0, MAX_HOSTS)
    .map(({ host }) => host)
}

/** A loopback source reaches only loopback. Null: the system's choice; undefined: no source of this family. */
function sourceFor(address: string, sourceIps: readonly string[]): string | null | undefined {
  if (sourceIps.length === 0) return null
  const usable = sourceIps.filter((ip) => !isLoopback(ip) || isLoopback(address))
  if (usable.length === 0) return null
  return usable.find((ip) => ip.includes(":") === address.includes(":"))
}
