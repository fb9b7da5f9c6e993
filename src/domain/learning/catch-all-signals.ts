import { patternOf } from "../address/address-forms.ts"
import type { ValidAddress } from "../address/parse.ts"
import { counted } from "../counted.ts"
import type { DirectoryAnswer } from "../verification/directory.ts"
import { domainAgeDays, type MailRoute } from "../verification/evidence.ts"
import type { Judged } from "../verification/judge.ts"
import { maskOtherAddresses } from "../verification/transcript.ts"
import { nameRealism } from "./name-realism.ts"

/** Evidence for or against a mailbox of an accept-all domain. */
export interface Signal {
  readonly signal:
    | "smtp"
    | "reply_difference"
    | "name_realism"
    | "role_account"
    | "domain_format"
    | "neighbours"
    | "feedback"
    | "directory"
    | "gravatar"
    | "breaches"
    | "web_presence"
    | "domain_age"
  /** The observation in words, without other people's addresses. */
  readonly observation: string
  /** Natural log-odds that the signal adds. 0 has no effect. */
  readonly weight: number
}

function signalOf(signal: Signal["signal"], weight: number, observation: string): Signal {
  return { signal, observation, weight }
}

/** Weight of a recipient that no mail can reach. */
const REFUSED = -6
/** The observation about a domain without a mail server, by the kind of its mail route. */
const NO_MAIL: Readonly<Partial<Record<MailRoute["kind"], string>>> = {
  null_mx: "the domain declares that it accepts no mail",
  no_such_domain: "the domain does not exist",
  no_mail_host: "the domain has no mail host",
}

/** The signals of the evidence and the address alone, without those that were not checked. */
export function evidenceSignals(judged: Judged, address: ValidAddress): Signal[] {
  return [
    smtp(judged),
    replyDifference(judged, address),
    realism(judged, address),
    gravatar(judged),
    webPresence(judged),
    domainAge(judged),
  ].filter((signal) => signal !== null)
}

function smtp({ evidence: { domain }, verdict: { status, isCatchAll } }: Judged): Signal {
  const withoutHost = domain && NO_MAIL[domain.route.kind]
  if (withoutHost) return signalOf("smtp", REFUSED, withoutHost)
  if (status === "valid")
    return isCatchAll === false
      ? signalOf("smtp", 4, "the server accepts this recipient and refuses a random one")
      : signalOf("smtp", 1.2, "the server accepts this recipient; the result for a random one is unclear")
  if (status === "invalid") return signalOf("smtp", REFUSED, "the server refuses this recipient")
  return status === "accept_all"
    ? signalOf("smtp", 0, "the server accepts every recipient, so its answer proves nothing")
    : signalOf("smtp", 0, "no server answered whether the recipient exists")
}

/** A server with different replies to this recipient and to a random one treats them differently. */
function replyDifference({ evidence: { mailbox }, replies }: Judged, address: ValidAddress): Signal | null {
  if (mailbox?.outcome.kind !== "reply" || mailbox.control?.kind !== "reply") return null
  if (replies.recipient?.class !== "accepted" || replies.random?.class !== "accepted") return null
  const [own, random] = [mailbox.outcome, mailbox.control].map(({ reply }) => wording(reply.text, address))
  return own === random
    ? signalOf("reply_difference", -0.1, "the reply is the same as for a random recipient")
    : signalOf("reply_difference", 0.6, "the reply differs from the one for a random recipient")
}

/** Removes addresses, numbers and identifiers from a reply, because they always differ. */
function wording(text: string, address: ValidAddress): string {
  return maskOtherAddresses(text, address)
    .toLowerCase()
    .replaceAll(address.normalized.toLowerCase(), "***@domain")
    .replaceAll(`***@${address.domain}`, "***@domain")
    .replace(/(?<![a-z0-9.-])[a-z.-]*\d[a-z0-9.-]*/g, "#")
}

function realism({ evidence }: Judged, address: ValidAddress): Signal {
  if (evidence.lists.isRole) return signalOf("role_account", 0.6, "named after a function that most domains have")
  const { score, why } = nameRealism(address.local)
  const observation = `the name reads as ${why.replaceAll("_", " ")}, realism ${score.toFixed(2)}`
  return signalOf("name_realism", Math.round((score - 0.5) * 240) / 100, observation)
}

function gravatar({ evidence }: Judged): Signal | null {
  const found = evidence.gravatar?.found ?? null
  if (found === null) return null
  return found
    ? signalOf("gravatar", 1.8, "a Gravatar exists for this address")
    : signalOf("gravatar", 0, "no Gravatar, as for most addresses")
}

function webPresence({ evidence }: Judged): Signal | null {
  const web = evidence.domain?.web
  if (!web) return null
  if (web.parkedAt) return signalOf("web_presence", -2.5, "the domain is parked")
  return web.site === "none"
    ? signalOf("web_presence", -0.4, "the domain has no website")
    : signalOf("web_presence", 0, "the domain has a website")
}

function domainAge({ evidence, verifiedAt }: Judged): Signal | null {
  const days = domainAgeDays(evidence.domain, verifiedAt)
  return days === null
    ? null
    : signalOf("domain_age", days < 30 ? -0.6 : 0, `the domain is ${counted(days, "day")} old`)
}

/** What only `/resolve-catchall` finds out about an address. */
export interface AddressFindings {
  /** Local parts of the domain's other addresses that are not known to be missing. */
  readonly locals: readonly string[]
  /** Addresses of the domain for which the caller's account reported an outcome. */
  readonly received: number
  readonly bounced: number
  /** Outcome that the caller's account reported for this address. Null without a report. */
  readonly reported: "arrived" | "bounced" | null
  /** Null when no directory that the caller may see covers the domain. */
  readonly directory: DirectoryAnswer | null
  /** Number of imported breaches with the address. Null when none are imported. */
  readonly breaches: number | null
}

/** With fewer neighbors there is no format, and the neighbors could be identified. */
const MIN_NEIGHBORS = 5

/** The signals of these findings, without those that are unknown. */
export function findingSignals(found: AddressFindings, address: ValidAddress): Signal[] {
  return [
    domainFormat(found, address),
    neighborFeedback(found),
    ownFeedback(found),
    directorySignal(found),
    breached(found),
  ].filter((signal) => signal !== null)
}

function domainFormat({ locals }: AddressFindings, address: ValidAddress): Signal | null {
  const pattern = patternOf(address.local)
  if (locals.length < MIN_NEIGHBORS || pattern === "other") return null
  const share = locals.filter((local) => patternOf(local) === pattern).length / locals.length
  const weight = share >= 0.5 ? 0.9 : share >= 0.2 ? 0.3 : share > 0 ? -0.2 : -0.6
  return signalOf("domain_format", weight, `${Math.round(share * 100)} % of the domain's known names are ${pattern}`)
}

/** Reported outcomes of mail to other mailboxes of the domain. */
function neighborFeedback({ received, bounced }: AddressFindings): Signal | null {
  if (received + bounced === 0) return null
  const share = (received + 1) / (received + bounced + 2)
  const logOdds = Math.max(-1.5, Math.min(1.5, Math.log(share / (1 - share))))
  const observation = `your reports for the domain: ${received} arrived, ${bounced} bounced`
  return signalOf("neighbours", Math.round(logOdds * 100) / 100, observation)
}

function ownFeedback({ reported }: AddressFindings): Signal | null {
  if (reported === null) return null
  return signalOf("feedback", reported === "arrived" ? 4.5 : -5, `you reported that mail to this address ${reported}`)
}

function directorySignal({ directory }: AddressFindings): Signal | null {
  const has = (weight: number, finding: string) =>
    signalOf("directory", weight, `the domain's directory contains ${finding}`)
  switch (directory?.kind) {
    case "user":
      return directory.state === "active" ? has(4.5, "the mailbox") : has(-2.5, "an account that accepts no mail")
    case "group":
    case "contact":
      return has(4, `a ${directory.kind} with this address`)
    case "entry":
      return has(4, "this address")
    case "nobody":
      return has(-2.5, "neither a user nor a group that receives mail")
    default:
      return null
  }
}

function breached({ breaches }: AddressFindings): Signal | null {
  if (breaches === null) return null
  return breaches > 0
    ? signalOf("breaches", 1.6, `in ${breaches} of the imported breaches, so it was in use`)
    : signalOf("breaches", 0, "in none of the imported breaches")
}
