import type { Snapshot } from "../../src/domain/feedback/snapshot.ts"
import { NO_HISTORY } from "../../src/domain/model/features.ts"
import { localRealism } from "../../src/domain/model/local-realism.ts"
import type { Observation } from "../../src/domain/model/sample.ts"

/** Random numbers that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One mailing of the world: what was known before, and the truth nobody knew. */
export interface Mailing extends Observation {
  readonly isThere: boolean
  readonly local: string
}

export interface WorldOptions {
  readonly mailings: number
  readonly accounts: number
  readonly seed: number
  /** An account that turns its reports round. */
  readonly liar?: { readonly accountId: string; readonly mailings: number }
}

const START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const FIRST = [
  "anna",
  "james",
  "maria",
  "peter",
  "sofia",
  "lukas",
  "julia",
  "martin",
  "elena",
  "thomas",
  "laura",
  "david",
]
const LAST = ["schmidt", "miller", "rossi", "garcia", "novak", "nguyen", "jones", "weber", "martin", "keller", "silva"]
const ROLES = ["info", "sales", "support", "office"]
const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/**
 * Mail sent over half a year. The hidden truth differs from what the prior believes: catch-alls of one operator bounce
 * afterwards, another's do not; made-up names at accept-all domains nearly always bounce; held-up addresses mostly exist.
 */
export function simulateWorld({ mailings, accounts, seed, liar }: WorldOptions): Mailing[] {
  const random = seeded(seed)
  const honest = Array.from({ length: mailings }, (_, at) => {
    const accountId = `acc_${Math.floor(random() ** 1.5 * accounts)}`
    return mailing(random, { accountId, at: START + (at / mailings) * 180 * DAY_MS, number: at })
  })
  if (!liar) return honest
  const own = seeded(seed + 1)
  const lies = Array.from({ length: liar.mailings }, (_, at) => {
    const when = START + (at / liar.mailings) * 180 * DAY_MS
    const told = mailing(own, { accountId: liar.accountId, at: when, number: mailings + at })
    return { ...told, kind: told.kind === "hard_bounce" ? ("delivered" as const) : ("hard_bounce" as const) }
  })
  return [...honest, ...lies].toSorted((a, b) => a.at - b.at)
}

function mailing(
  random: () => number,
  { accountId, at, number }: { accountId: string; at: number; number: number },
): Mailing {
  const domain = `company${Math.floor(random() * 400)}.test`
  const snapshot = snapshotOf(random, { local: localPart(random), domain, at })
  const isThere = random() < truthOf(snapshot.snapshot)
  const kind = isThere ? ("delivered" as const) : ("hard_bounce" as const)
  return { accountId, addressHash: `${number}`, domain, kind, at, isThere, ...snapshot }
}

function localPart(random: () => number): string {
  const kind = random()
  if (kind < 0.1) return pick(random, ROLES)
  if (kind < 0.7) return `${pick(random, FIRST)}.${pick(random, LAST)}`
  if (kind < 0.85) return `${pick(random, FIRST)[0]}${pick(random, LAST)}`
  return Array.from({ length: 9 }, () => pick(random, [..."bcdfghjklmnpqrstvwxz"])).join("")
}

const OPERATORS = ["google", "microsoft365", "proofpoint", null] as const
const VERDICTS = [
  { status: "valid", finding: null, isCatchAll: false },
  { status: "accept_all", finding: "catch_all", isCatchAll: true },
  { status: "unknown", finding: "greylisted", isCatchAll: null },
  { status: "unknown", finding: "refused_probe", isCatchAll: null },
  { status: "invalid", finding: "mailbox_missing", isCatchAll: null },
] as const

/** A domain behaves the same to all its addresses, but for what the server says of the recipient. */
function snapshotOf(random: () => number, { local, domain, at }: { local: string; domain: string; at: number }) {
  const number = Number(/\d+/.exec(domain)![0])
  const verdict =
    number % 4 === 0
      ? VERDICTS[1]
      : number % 7 === 0
        ? pick(random, VERDICTS.slice(2, 4))
        : random() < 0.1
          ? VERDICTS[4]
          : VERDICTS[0]
  const isRole = ROLES.includes(local)
  const snapshot: Snapshot = {
    ...verdict,
    score:
      verdict.status === "valid" ? 88 : verdict.status === "accept_all" ? 68 : verdict.status === "invalid" ? 8 : 55,
    replyClass: null,
    replyCode: 250,
    replyStage: "rcpt",
    operator: OPERATORS[(number >> 2) % OPERATORS.length]!,
    route: "mx",
    spf: number % 3 !== 0,
    dkim: null,
    dmarc: number % 5 !== 0,
    lists: {
      isDisposable: false,
      isRelay: false,
      isRole,
      isFree: false,
      isSubaddress: false,
      isCorporate: true,
      isGovernment: false,
      isEducation: false,
    },
    pattern: isRole ? "{word}" : local.includes(".") ? "{first}.{last}" : "{word}",
    localLength: local.length,
    digits: 0,
    realism: localRealism(local),
    domainAgeDays: number % 11 === 0 ? 20 : 3_000,
    web: number % 13 === 0 ? "none" : "live",
    gravatar: null,
    verifiedAt: at - DAY_MS,
  }
  return { snapshot, local }
}

/** The hidden chance that mail arrives. */
function truthOf({ status, operator, realism, lists, finding }: Snapshot): number {
  if (status === "invalid") return 0.02
  if (status === "valid") return 0.96
  if (finding === "greylisted") return 0.85
  if (status === "unknown") return 0.7
  const isName = lists.isRole || realism > 0.5
  if (operator === "microsoft365") return isName ? 0.45 : 0.03
  return isName ? 0.93 : 0.1
}

/** Domains of which nothing else is known. */
export const NO_NEIGHBOURS = () => ({ formatShare: NO_HISTORY.formatShare, missingShare: NO_HISTORY.missingShare })
