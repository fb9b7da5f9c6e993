import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { snapshotOf } from "../../../src/domain/learning/features.ts"
import type { Observation } from "../../../src/domain/learning/samples.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { assess } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, rcpt } from "../deps/evidence.ts"

/** Random numbers that are equal in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One address: the evidence of a verification, and the hidden truth. */
export interface Mailbox {
  readonly address: ValidAddress
  readonly evidence: Evidence
  readonly isThere: boolean
}

/** One mail of an account and the reported outcome. */
export interface Mailing {
  readonly accountId: string
  readonly mailbox: Mailbox
  readonly kind: FeedbackKind
  /** Unix milliseconds. */
  readonly at: number
}

export interface WorldOptions {
  readonly mailings: number
  readonly accounts: number
  readonly seed: number
  /** An account that reports the opposite of every outcome. */
  readonly falseReporter?: { readonly accountId: string; readonly mailings: number }
}

export const WORLD_START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const DAYS = 180
const FIRST =
  "anna james maria peter sofia lukas julia martin elena thomas laura david nina paul clara simon eva oscar".split(" ")
const LAST =
  "schmidt miller rossi garcia novak nguyen jones weber keller silva brown fischer moreau kovacs larsen patel costa".split(
    " ",
  )
const ROLES = ["info", "sales", "support", "office"]
const CONSONANTS = [..."bcdfghjklmnpqrstvwxz"]
const DOMAINS = 400
const HOSTS = ["aspmx.l.google.com", "x.mail.protection.outlook.com", "mx1.pphosted.com", "mx.own.test"] as const

/**
 * Mail of half a year. The hidden truth differs from the prior: at accept-all domains of one operator more than half of
 * all mail bounces. At the others nearly no mail to real names bounces, and nearly all mail to random names.
 */
export function simulateWorld({ mailings, accounts, seed, falseReporter }: WorldOptions): Mailing[] {
  const random = seeded(seed)
  const mailboxes = new Map<string, Mailbox>()
  const send = (accountId: string, share: number, isFalse: boolean): Mailing => {
    const email = makeEmail(random)
    const mailbox = mailboxes.get(email) ?? makeMailbox(random, email)
    mailboxes.set(email, mailbox)
    const arrived = mailbox.isThere !== isFalse
    return {
      accountId,
      mailbox,
      kind: arrived ? "delivered" : "hard_bounce",
      at: WORLD_START + Math.floor(share * DAYS * DAY_MS),
    }
  }
  const honest = Array.from({ length: mailings }, (_, n) =>
    send(`acc_${Math.floor(random() ** 1.3 * accounts)}`, n / mailings, false),
  )
  const falseMailings = Array.from({ length: falseReporter?.mailings ?? 0 }, (_, n) =>
    send(falseReporter!.accountId, n / falseReporter!.mailings, true),
  )
  return [...honest, ...falseMailings].toSorted((a, b) => a.at - b.at)
}

/** The mailings as the model reads them from the database. */
export function observationsOf(mailings: readonly Mailing[]): Observation[] {
  return mailings.map(({ accountId, mailbox: { address, evidence }, kind, at }) => ({
    accountId,
    addressHash: address.normalized,
    domain: address.domain,
    kind,
    at,
    snapshot: snapshotOf(assess(evidence, { cached: true, verifiedAt: WORLD_START }))!,
  }))
}

/** Domains without further knowledge. */
export const NO_NEIGHBORS = () => ({ formatShare: null, missingShare: null })

function makeEmail(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const domain = `company${Math.floor(random() * DOMAINS)}.test`
  const kind = random()
  if (kind < 0.1) return `${pick(ROLES)}@${domain}`
  if (kind < 0.65) return `${pick(FIRST)}.${pick(LAST)}@${domain}`
  if (kind < 0.8) return `${pick(FIRST)[0]}${pick(LAST)}@${domain}`
  return `${Array.from({ length: 9 }, () => pick(CONSONANTS)).join("")}@${domain}`
}

/** Replies of a server for the recipient and for a random one. */
const ANSWERS = {
  valid: mailbox(rcpt(250, "2.1.5 Ok"), rcpt(550, "5.1.1 no such user")),
  acceptAll: mailbox(rcpt(250, "2.1.5 Ok"), rcpt(250, "2.1.5 Ok")),
  missing: mailbox(rcpt(550, "5.1.1 no such user")),
  greylisted: mailbox(rcpt(451, "4.7.1 greylisted, try again later")),
} as const

/** All addresses of a domain get the same kind of reply. */
function makeMailbox(random: () => number, email: string): Mailbox {
  const address = parseAddress(email)
  if (!address.ok) throw new Error(`invalid address in the simulation: ${email}`)
  const number = Number(/\d+/.exec(address.domain)![0])
  const operator = (number >> 2) % HOSTS.length
  const telling = random() < 0.15 ? ("missing" as const) : ("valid" as const)
  const answer = number % 5 < 2 ? "acceptAll" : number % 7 === 0 ? "greylisted" : telling
  const isThere = random() < chanceOf(answer, address.local, operator)
  const host = HOSTS[operator]!
  const asked = ANSWERS[answer]
  const evidence: Evidence = {
    address,
    lists: classifyAddress(address),
    domain: domainFacts({
      domain: address.domain,
      route: { kind: "mx", hosts: [{ host, preference: 10 }] },
      spf: { kind: number % 3 === 0 ? "none" : "valid" } as NonNullable<Evidence["domain"]>["spf"] & object,
    }),
    mailbox: { ...asked, session: asked.session && { ...asked.session, mxHost: host } },
    probeProblem: null,
  }
  return { address, evidence, isThere }
}

/** The hidden probability that mail arrives. */
function chanceOf(answer: keyof typeof ANSWERS, local: string, operator: number): number {
  if (answer === "missing") return 0.02
  if (answer === "valid") return 0.96
  if (answer === "greylisted") return 0.85
  const isMadeUp = /^[^aeiou.]{9}$/.test(local)
  if (HOSTS[operator] === "x.mail.protection.outlook.com") return isMadeUp ? 0.03 : 0.45
  return isMadeUp ? 0.08 : 0.93
}
