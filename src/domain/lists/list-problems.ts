import type { SmtpFailure, Status } from "../../../schema/vocabulary.ts"
import { counted } from "../counted.ts"
import type { MailRoute } from "../verification/evidence.ts"
import { type Interval, wilson } from "../wilson.ts"

/** The features of a list item that a report distinguishes. */
export interface ItemTraits {
  readonly status: Status
  readonly route: MailRoute["kind"] | null
  readonly failure: SmtpFailure | null
  /** Code of the deciding reply; null without a reply. */
  readonly code: number | null
  readonly enhanced: string | null
  readonly isDisposable: boolean
  readonly isRole: boolean
}

/** Whether mail to an address of this status cannot arrive. */
export function isInvalid(status: Status): boolean {
  return status === "invalid" || status === "invalid_syntax"
}

const ACCEPTS_NO_MAIL: readonly ItemTraits["route"][] = ["null_mx", "no_such_domain", "no_mail_host"]
/** The node dialed no host, because mail can arrive at none of their addresses. */
const acceptsNoMail = ({ route, failure }: ItemTraits) =>
  ACCEPTS_NO_MAIL.includes(route) || failure === "blocked_address"
const isUnknown = ({ status }: ItemTraits) => status === "unknown"
/** RFC 3463 §3.3 (x.2.2), else RFC 5321 §4.2.3 (552). A 452 is about the server's storage or too many recipients. */
const isFull = ({ code, enhanced }: ItemTraits) => (enhanced === null ? code === 552 : enhanced.endsWith(".2.2"))

/** Problems of an address, the most severe first. An item may have several. */
export const PROBLEMS: readonly { problem: string; message: string; concerns: (item: ItemTraits) => boolean }[] = [
  {
    problem: "malformed",
    message: "not an email address",
    concerns: ({ status }) => status === "invalid_syntax",
  },
  {
    problem: "domain_takes_no_mail",
    message: "the domain does not exist or takes no mail",
    concerns: (item) => item.status === "invalid" && acceptsNoMail(item),
  },
  {
    problem: "mailbox_not_found",
    message: "the mail server reports that the mailbox does not exist",
    concerns: (item) => item.status === "invalid" && !acceptsNoMail(item),
  },
  {
    problem: "disposable",
    message: "an address of a disposable mail service",
    concerns: ({ isDisposable }) => isDisposable,
  },
  {
    problem: "catch_all",
    message: "the domain accepts every address, so this mailbox cannot be confirmed",
    concerns: ({ status }) => status === "accept_all",
  },
  {
    problem: "mailbox_full",
    message: "the mailbox is full",
    concerns: (item) => isUnknown(item) && isFull(item),
  },
  {
    problem: "refused_probe",
    message: "the mail server refused our probe, often because it blocks our IP",
    concerns: (item) => isUnknown(item) && !isFull(item) && (item.code ?? 0) >= 500,
  },
  {
    problem: "temporary_failure",
    message: "the mail server deferred each probe: it may answer later",
    concerns: (item) => isUnknown(item) && !isFull(item) && item.code !== null && item.code < 500,
  },
  {
    problem: "unreachable",
    message: "no mail server of the domain answered",
    concerns: (item) => isUnknown(item) && item.code === null,
  },
  {
    problem: "role_account",
    message: "a role address, read by several people or by none",
    concerns: ({ isRole }) => isRole,
  },
]

/** Number of items by status. */
export type Counts = Readonly<Record<Status, number>>

/** Expected hard bounce rate of a list: the rate of its decided items, with a 95 % Wilson interval. Not of malformed ones. */
export interface Bounce extends Interval {
  readonly rate: number
  /** Mailboxes known to exist or not. The other items are assumed to bounce at the same rate. */
  readonly decided: number
  readonly expected: number
}

/** A rate from fewer decided items than this says nothing about a list. */
export const ENOUGH_DECIDED = 30

/** @param counts malformed items count nowhere: no mail system accepts such an address, so nothing can bounce */
export function bounceOf(counts: Counts): Bounce {
  const decided = counts.valid + counts.invalid
  const rate = decided === 0 ? 0 : counts.invalid / decided
  const all = decided + counts.accept_all + counts.unknown
  return { rate, ...wilson(counts.invalid, decided), decided, expected: Math.round(rate * all) }
}

/** Levels of the risk; "unknown" when too few addresses are decided. */
export const RISKS = ["unknown", "low", "moderate", "high"] as const

/** The risk for a sender's reputation if the whole list is sent to. */
export interface SendingRisk {
  readonly level: (typeof RISKS)[number]
  readonly reason: string
}

/** Upper bounce rates of each level: mail operators warn above 2 % and slow down or block above 5 %. */
const LEVELS: readonly (readonly [number, SendingRisk["level"]])[] = [
  [0.02, "low"],
  [0.05, "moderate"],
  [1, "high"],
]

/** Judges a list by its expected bounces. */
export function sendingRiskOf({ rate, decided }: Bounce): SendingRisk {
  const basis = `of ${counted(decided, "address", "addresses")} with a clear result`
  if (decided < ENOUGH_DECIDED) return { level: "unknown", reason: `Too few to tell: bounces ${basis} show no rate.` }
  const level = LEVELS.find(([upTo]) => rate <= upTo)![1]
  return { level, reason: `${Math.round(rate * 1_000) / 10} % ${basis} would bounce.` }
}
