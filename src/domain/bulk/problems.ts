import type { SmtpFailure, Status } from "../../../schema/vocabulary.ts"
import type { MailRoute } from "../verdict/evidence.ts"

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

export interface ProblemKind {
  readonly problem: string
  readonly message: string
  readonly concerns: (item: ItemTraits) => boolean
}

/** Whether mail to an address of this status cannot arrive. */
export function isInvalid(status: Status): boolean {
  return status === "invalid" || status === "invalid_syntax"
}

const TAKES_NO_MAIL: readonly ItemTraits["route"][] = ["null_mx", "no_such_domain", "no_mail_host"]
/** The node dialed no host, because mail can arrive at none of their addresses. */
const takesNoMail = ({ route, failure }: ItemTraits) => TAKES_NO_MAIL.includes(route) || failure === "blocked_address"
const isUnknown = ({ status }: ItemTraits) => status === "unknown"
/** RFC 3463 §3.3 (x.2.2), else RFC 5321 §4.2.3 (552). A 452 is about the server's storage or too many recipients. */
const isFull = ({ code, enhanced }: ItemTraits) => (enhanced === null ? code === 552 : enhanced.endsWith(".2.2"))

/** Problems of an address, the most severe first. An item may have several. */
export const PROBLEMS: readonly ProblemKind[] = [
  {
    problem: "malformed",
    message: "not an email address",
    concerns: ({ status }) => status === "invalid_syntax",
  },
  {
    problem: "domain_takes_no_mail",
    message: "the domain does not exist or takes no mail",
    concerns: (item) => item.status === "invalid" && takesNoMail(item),
  },
  {
    problem: "mailbox_not_found",
    message: "the mail server reports that the mailbox does not exist",
    concerns: (item) => item.status === "invalid" && !takesNoMail(item),
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
