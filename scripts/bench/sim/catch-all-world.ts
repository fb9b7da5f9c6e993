import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { snapshotOf } from "../../../src/domain/learning/features.ts"
import type { Observation } from "../../../src/domain/learning/samples.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import { DAY_MS } from "../../../src/domain/time.ts"
import type { DomainFacts, Evidence, MailboxEvidence } from "../../../src/domain/verification/evidence.ts"
import { assess } from "../../../src/domain/verification/verification.ts"
import { mulberry32 } from "./fleet-world.ts"

/** A mailbox at a catch-all domain: what a verification finds, and the hidden outcome of mail to it. */
export interface CatchAllMailbox {
  readonly address: ValidAddress
  readonly evidence: Evidence
  /** 1: mail arrives; 0: it bounces. */
  readonly outcome: 0 | 1
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

interface HiddenDomain {
  readonly name: string
  /** Log-odds of the domain itself, before the name counts. */
  readonly level: number
  readonly host: string
  readonly facts: Pick<DomainFacts, "spf" | "dmarc" | "web" | "registration">
}

const START = Date.UTC(2026, 0, 1)
/** All mailings fall into this time. */
const SPAN_MS = 180 * DAY_MS
const FIRST =
  "anna james maria peter sofia lukas julia martin elena thomas laura david nina paul clara simon eva oscar".split(" ")
const LAST =
  "schmidt miller rossi garcia novak nguyen jones weber keller silva brown fischer moreau kovacs larsen patel".split(
    " ",
  )
const WORDS = "harbor studio orchard lantern velvet copper meadow falcon timber canyon".split(" ")
const ROLES = ["info", "sales", "support", "office", "billing"]
const HOSTS = ["aspmx.l.google.com", "x.mail.protection.outlook.com", "mx1.pphosted.com", "mx.own.test"] as const
const KINDS = ["person", "initial", "word", "numbered", "random", "role"] as const
type Kind = (typeof KINDS)[number]

const ACCEPTED: RecipientOutcome = {
  kind: "reply",
  stage: "rcpt",
  reply: { code: 250, enhanced: "2.1.5", text: "2.1.5 Ok", ms: 3 },
}
const GREETING = { code: 220, enhanced: null, text: "ready", ms: 1 }

/**
 * A world of catch-all domains with hidden parameters: the level of each domain, and the effects of the kind of name,
 * the operator and the records of the domain. All of them follow from the seed. A classifier sees addresses, evidence
 * and reported outcomes, and no parameter.
 */
export class CatchAllWorld {
  readonly #random: () => number
  readonly #domains: readonly HiddenDomain[]
  readonly #kinds: Readonly<Record<Kind, number>>
  readonly #shares: Readonly<Record<Kind, number>>
  readonly #gravatar: { readonly ofReal: number; readonly ofOther: number }
  readonly #options: { readonly mailings: number; readonly accounts: number; readonly domains: number }

  constructor({ seed, ...options }: { seed: number; mailings: number; accounts: number; domains: number }) {
    this.#random = mulberry32(seed)
    this.#options = options
    this.#kinds = {
      person: this.#between(0.5, 2),
      initial: this.#between(0, 1.5),
      word: this.#between(-0.8, 0.4),
      numbered: this.#between(-1.5, 0),
      random: this.#between(-3.5, -1.5),
      role: this.#between(-0.5, 1.5),
    }
    const weights = KINDS.map((kind) => [kind, this.#between(0.5, 1.5) * (kind === "person" ? 3 : 1)] as const)
    const all = weights.reduce((sum, [, weight]) => sum + weight, 0)
    this.#shares = Object.fromEntries(weights.map(([kind, weight]) => [kind, weight / all])) as Record<Kind, number>
    this.#gravatar = { ofReal: this.#between(0.05, 0.2), ofOther: 0.01 }
    this.#domains = this.#makeDomains()
  }

  /** Mailings of all accounts in order of time, as their observations. */
  observe(): Observation[] {
    const { mailings, accounts } = this.#options
    return Array.from({ length: mailings }, (_, n) => {
      const { address, evidence, outcome, verifiedAt } = this.#mailbox()
      const at = START + Math.floor((n / mailings) * SPAN_MS)
      return {
        accountId: `acc_${Math.floor(this.#random() * accounts)}`,
        addressHash: address.normalized,
        domain: address.domain,
        kind: outcome === 1 ? ("delivered" as const) : ("hard_bounce" as const),
        at,
        snapshot: snapshotOf(assess(evidence, { cached: true, verifiedAt }))!,
      }
    })
  }

  /** Mailboxes that no account has reported. */
  unseen(count: number): CatchAllMailbox[] {
    return Array.from({ length: count }, () => this.#mailbox())
  }

  #between(low: number, high: number): number {
    return low + this.#random() * (high - low)
  }

  /** A standard normal number (Box-Muller). */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!
  }

  #makeDomains(): HiddenDomain[] {
    const [mean, spread] = [this.#between(-0.3, 1.2), this.#between(0.4, 1.2)]
    const operators = HOSTS.map((host) => ({ host, effect: this.#between(-1, 1) }))
    const effects: Record<keyof Seen, number> = {
      spf: this.#between(0, 0.8),
      dmarc: this.#between(0, 0.8),
      parked: -3,
      none: -0.5,
      young: -1,
    }
    return Array.from({ length: this.#options.domains }, (_, n) => {
      const { host, effect } = this.#pick(operators)
      const site = this.#random()
      const seen: Seen = {
        spf: this.#random() < 0.8,
        dmarc: this.#random() < 0.5,
        parked: site < 0.03,
        none: site >= 0.03 && site < 0.15,
        young: this.#random() < 0.05,
      }
      const shown = Object.entries(effects).reduce(
        (sum, [what, points]) => sum + (seen[what as keyof Seen] ? points : 0),
        0,
      )
      const level = mean + spread * this.#normal() + effect + shown
      return { name: `company${n}.test`, level, host, facts: factsOf(seen) }
    })
  }

  #mailbox(): CatchAllMailbox {
    const domain = this.#pick(this.#domains)
    const kind = this.#kind()
    const address = parseAddress(`${this.#local(kind)}@${domain.name}`) as ValidAddress
    const outcome = this.#random() < 1 / (1 + Math.exp(-domain.level - this.#kinds[kind])) ? 1 : 0
    const { ofReal, ofOther } = this.#gravatar
    const found = this.#random() < (outcome === 1 ? ofReal : ofOther)
    return { address, evidence: evidenceOf(address, domain, found), outcome, verifiedAt: START }
  }

  #kind(): Kind {
    let left = this.#random()
    for (const kind of KINDS) {
      left -= this.#shares[kind]
      if (left < 0) return kind
    }
    return "person"
  }

  #local(kind: Kind): string {
    const number = Math.floor(this.#random() * 900)
    switch (kind) {
      case "person":
        return `${this.#pick(FIRST)}.${this.#pick(LAST)}${this.#random() < 0.9 ? "" : number}`
      case "initial":
        return `${this.#pick(FIRST)[0]}${this.#pick(LAST)}`
      case "word":
        return `${this.#pick(WORDS)}${this.#pick(WORDS)}`
      case "numbered":
        return `${this.#pick(FIRST)}${100 + number}`
      case "random":
        return Math.floor(this.#random() * 36 ** 8)
          .toString(36)
          .padStart(8, "q")
      case "role":
        return this.#pick(ROLES)
    }
  }
}

/** The properties of a domain that a verification sees. */
type Seen = Readonly<Record<"spf" | "dmarc" | "parked" | "none" | "young", boolean>>

function factsOf({ spf, dmarc, parked, none, young }: Seen): HiddenDomain["facts"] {
  return {
    spf: spf ? { kind: "valid", all: "-", lookups: 0 } : { kind: "none" },
    dmarc: dmarc ? { kind: "record", foundAt: "company.test", policy: "none", hasReports: false } : { kind: "none" },
    web: none
      ? { site: "none", httpStatus: null, https: false, parkedAt: null }
      : { site: "live", httpStatus: 200, https: true, parkedAt: parked ? "sedo" : null },
    registration: { kind: "registered", at: START - (young ? 10 : 2_000) * DAY_MS },
  }
}

function evidenceOf(address: ValidAddress, { host, facts }: HiddenDomain, hasGravatar: boolean): Evidence {
  const session = {
    mxHost: host,
    address: "192.0.2.1",
    sourceIp: "192.0.2.2",
    heloName: "probe.test",
    envelopeSender: "probe@probe.test",
    greeting: GREETING,
    ehlo: null,
    extensions: [],
    tls: null,
    mail: null,
    connectMs: 1,
  }
  const probed = { nodeId: "n-1", region: "eu", askedAt: START, attempts: [], totalMs: 9 }
  const mailbox: MailboxEvidence = { ...probed, session, outcome: ACCEPTED, control: ACCEPTED }
  return {
    address,
    lists: classifyAddress(address),
    domain: {
      domain: address.domain,
      checkedAt: { route: START },
      route: { kind: "mx", hosts: [{ host, preference: 10 }] },
      ...facts,
    },
    mailbox,
    gravatar: { found: hasGravatar, checkedAt: START },
    probeProblem: null,
  }
}
