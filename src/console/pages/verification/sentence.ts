import type { Status } from "../../../../schema/vocabulary.ts"
import type { Deliverability, LedgerEntry } from "../../api/shapes.ts"
import { SUB_STATUS_WORDS } from "../../words.ts"

interface Sentence {
  /** One sentence that agrees with the evidence. */
  readonly says: string
  readonly tone: Status
  /** Facts that forbid or limit sending, whatever the server says. One sentence each. */
  readonly notes: readonly string[]
}

const NOTHING_KNOWN = "nothing is known about this mailbox."

/** The verdict as one sentence, by its finding, the rule that read the deciding reply, and the mail route. */
export function sentenceOf(result: Deliverability): Sentence {
  const { checks } = result
  const isReceived = isConfirmedByMail(result)
  const says = isReceived
    ? "Your account received mail from this address, so the mailbox exists."
    : (findingWords(result) ?? statusWords(result))
  const cannotSend = result.deliverability_score.recommendation === "do_not_send"
  const tone = isReceived ? "valid" : checks.status
  return { says, tone: tone === "valid" && cannotSend ? "accept_all" : tone, notes: notesOf(result) }
}

/** Whether mail received by the account shows that the mailbox exists, where the server's answer leaves it open. */
export const isConfirmedByMail = ({ checks, deliverability }: Deliverability): boolean =>
  deliverability === "deliverable" && checks.status !== "valid"

/** The finding of the verdict: `null` for a confirmed mailbox, or without an explanation. */
function findingWords(result: Deliverability): string | null {
  const finding = entryOf(result, "status")?.rule ?? null
  switch (finding) {
    case "malformed":
      return entryOf(result, "syntax")?.means ?? SUB_STATUS_WORDS.invalid_format
    case "no_mail_host":
      return entryOf(result, "route")?.value === "no_such_domain"
        ? "The domain does not exist, so no mail can arrive."
        : "The domain has no mail server, so no mail can arrive."
    case "refused_probe":
      return `${refusalWords(entryOf(result, "rcpt"))}; ${NOTHING_KNOWN}`
    case "unreachable":
      return `${failureWords(entryOf(result, "rcpt"))}; ${NOTHING_KNOWN}`
    default:
      return finding === null ? null : (FINDING_WORDS[finding] ?? null)
  }
}

const statusWords = ({ sub_status }: Deliverability): string =>
  sub_status ? SUB_STATUS_WORDS[sub_status] : `The mail server was not probed; ${NOTHING_KNOWN}`

/** Findings with one sentence each, by their names in `explanation.ledger`. */
const FINDING_WORDS: Readonly<Record<string, string>> = {
  null_mx: "The domain declares that it accepts no mail.",
  dns_failure: "DNS did not answer; this is not held against the address.",
  mailbox_missing: "The server says that this mailbox does not exist.",
  mailbox_disabled: "The server says that this mailbox is disabled.",
  mailbox_full: "Mailbox full: the mailbox exists, but takes no mail now.",
  hard_bounce: "Your account reported a hard bounce: the mailbox does not exist.",
  catch_all: "The domain accepts every address, so this mailbox cannot be confirmed.",
  catch_all_inconclusive: "The server accepted this mailbox. Whether it accepts every address is unclear.",
  unverifiable_operator: "This mail provider accepts every address at first, so this mailbox cannot be confirmed.",
  greylisted: "The server asked for a later retry (greylisting); nothing is known about this mailbox yet.",
  temporary_failure: "The server has a temporary failure; nothing is known about this mailbox yet.",
  relay_denied: `The server does not accept mail for this domain from us; ${NOTHING_KNOWN}`,
  protocol_error: `The server did not follow the SMTP protocol; ${NOTHING_KNOWN}`,
  throttled: `Our own rate limit stopped the probe; ${NOTHING_KNOWN}`,
  smtputf8_unsupported: `The server does not support the letters of this address (SMTPUTF8); ${NOTHING_KNOWN}`,
  no_probe_node: `No probe node was available, so the mail server was not contacted; ${NOTHING_KNOWN}`,
  not_probed: `The mail server was not probed; ${NOTHING_KNOWN}`,
}

/** Why the mail server gave no answer, by the failure of the SMTP session. */
const FAILURE_WORDS: Readonly<Record<string, string>> = {
  dns: "The name of the mail server has no address",
  blocked_address: "The mail server has a private address",
  refused: "The mail server refused the connection",
  unreachable: "The mail server could not be reached",
  reset: "The mail server closed the connection",
  timeout: "The mail server did not answer in time",
  deadline: "The time limit passed before the mail server answered",
  tls: "The encrypted connection to the mail server failed",
  proxy: "Our proxy did not reach the mail server",
  shutdown: "The probe node stopped before the mail server answered",
}

/** Without an entry, the time limit passed before the probe. */
const failureWords = (entry: LedgerEntry | undefined): string | undefined =>
  FAILURE_WORDS[entry?.value ?? "deadline"] ?? FAILURE_WORDS.unreachable

/** What the server refused, by the first part of the rule's name. */
function refusalWords(entry: LedgerEntry | undefined): string {
  const [family = "", name = ""] = entry?.rule?.split(".") ?? []
  return REFUSALS[family === "own" || family === "code" ? name : family] ?? "The server refused our probe by its policy"
}

const OUR_IP = "The server blocked our IP"
const OUR_SENDER = "The server refused our sender address"
const OUR_RATE = "The server limits our rate"
const REFUSALS: Readonly<Record<string, string>> = {
  ip: OUR_IP,
  "exchange-blocked-ip": OUR_IP,
  ptr: "The server refused the reverse name of our IP",
  helo: "The server refused the name of our host",
  sender: OUR_SENDER,
  domain: OUR_SENDER,
  "courier-sender": OUR_SENDER,
  "sender-authentication": OUR_SENDER,
  rate: OUR_RATE,
  harvest: OUR_RATE,
  flood: OUR_RATE,
  "exchange-recipient-rate": OUR_RATE,
  "exchange-sender-rate": OUR_RATE,
  tls: "The server requires encryption that we did not offer",
  encryption: "The server requires encryption that we did not offer",
}

/** Whether the account's suppression list contains the address or its domain. */
export const isSuppressed = (result: Deliverability): boolean =>
  entryOf(result, "suppressed") !== undefined || result.deliverability_score.primary_risk === "suppressed"

function notesOf(result: Deliverability): string[] {
  const { checks } = result
  return [
    ...(isSuppressed(result) ? ["The address, or its whole domain, is on your suppression list."] : []),
    ...(entryOf(result, "complaint_reported") ? ["Your account reported a spam complaint of this address."] : []),
    ...(checks.is_disposable ? ["This is a disposable address."] : []),
    ...(checks.rbl_listed ? [`A blocklist lists its mail server: ${checks.rbl_lists_matched.join(", ")}.`] : []),
    ...(checks.is_role_account ? ["This is a role address: a team reads it, not one person."] : []),
  ]
}

/**
 * Why a result has no grade; null for one that has. The API grades what DNS shows of an unknown mailbox, too, which says
 * nothing about the mailbox.
 */
export function noGradeWords(result: Deliverability): string | null {
  if (result.checks.status !== "unknown" || isConfirmedByMail(result)) return null
  return entryOf(result, "status")?.rule === "mailbox_full" ? "the mailbox is full" : "nothing is known"
}

export const entryOf = ({ explanation }: Deliverability, fact: string): LedgerEntry | undefined =>
  explanation?.ledger.find((entry) => entry.fact === fact)

export function emptyTranscriptReason(result: Deliverability): string {
  if (entryOf(result, "status")?.rule === "no_probe_node")
    return "No probe node was available, so the mail server was not contacted."
  return result.checks.smtp_status === "skipped"
    ? "The mail server was not contacted."
    : "The mail server sent no reply."
}
