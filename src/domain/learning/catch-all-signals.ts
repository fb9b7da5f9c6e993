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

/** Weight of a recipient that no mail can reach. */
const REFUSED = -6
/** The observation about a domain without a mail server, by the kind of its mail route. */
const NO_MAIL: Readonly<Partial<Record<MailRoute["kind"], string>>> = {
  null_mx: "the domain declares that it accepts no mail",
  no_such_domain: "the domain does not exist",
  no_mail_host: "the domain has no mail host",
}

/**
 * Returns the signals that the evidence and the address alone contain, without those that were not checked. What most
 * domains have, such as a website, has no weight: a list looks up less, and judges most addresses the same.
 */
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
  if (withoutHost) return { signal: "smtp", observation: withoutHost, weight: REFUSED }
  if (status === "valid")
    return isCatchAll === false
      ? { signal: "smtp", observation: "the server accepts this recipient and refuses a random one", weight: 4 }
      : {
          signal: "smtp",
          observation: "the server accepts this recipient; the result for a random one is unclear",
          weight: 1.2,
        }
  if (status === "invalid") return { signal: "smtp", observation: "the server refuses this recipient", weight: REFUSED }
  return status === "accept_all"
    ? { signal: "smtp", observation: "the server accepts every recipient, so its answer proves nothing", weight: 0 }
    : { signal: "smtp", observation: "no server answered whether the recipient exists", weight: 0 }
}

/** A server with different replies to this recipient and to a random one treats them differently. */
function replyDifference({ evidence: { mailbox }, replies }: Judged, address: ValidAddress): Signal | null {
  if (mailbox?.outcome.kind !== "reply" || mailbox.control?.kind !== "reply") return null
  if (replies.recipient?.class !== "accepted" || replies.random?.class !== "accepted") return null
  const [own, random] = [mailbox.outcome, mailbox.control].map(({ reply }) => wording(reply.text, address))
  return own === random
    ? { signal: "reply_difference", observation: "the reply is the same as for a random recipient", weight: -0.1 }
    : {
        signal: "reply_difference",
        observation: "the reply differs from the one for a random recipient",
        weight: 0.6,
      }
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
  if (evidence.lists.isRole)
    return { signal: "role_account", observation: "named after a function that most domains have", weight: 0.6 }
  const { score, why } = nameRealism(address.local)
  return {
    signal: "name_realism",
    observation: `the name reads as ${why.replaceAll("_", " ")}, realism ${score.toFixed(2)}`,
    weight: Math.round((score - 0.5) * 240) / 100,
  }
}

function gravatar({ evidence }: Judged): Signal | null {
  const found = evidence.gravatar?.found ?? null
  if (found === null) return null
  return found
    ? { signal: "gravatar", observation: "a Gravatar exists for this address", weight: 1.8 }
    : { signal: "gravatar", observation: "no Gravatar, as for most addresses", weight: 0 }
}

function webPresence({ evidence }: Judged): Signal | null {
  const web = evidence.domain?.web
  if (!web) return null
  if (web.parkedAt) return { signal: "web_presence", observation: "the domain is parked", weight: -2.5 }
  return web.site === "none"
    ? { signal: "web_presence", observation: "the domain has no website", weight: -0.4 }
    : { signal: "web_presence", observation: "the domain has a website", weight: 0 }
}

function domainAge({ evidence, verifiedAt }: Judged): Signal | null {
  const days = domainAgeDays(evidence.domain, verifiedAt)
  if (days === null) return null
  const weight = days < 30 ? -0.6 : 0
  return { signal: "domain_age", observation: `the domain is ${counted(days, "day")} old`, weight }
}

/** What `/resolve-catchall` looks up about an address. Other endpoints do not know it. */
export interface LookUps {
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

/** Returns the signals of what was looked up, without those that were not found. */
export function lookUpSignals(found: LookUps, address: ValidAddress): Signal[] {
  return [
    domainFormat(found, address),
    neighborFeedback(found),
    ownFeedback(found),
    directorySignal(found),
    breached(found),
  ].filter((signal) => signal !== null)
}

function domainFormat({ locals }: LookUps, address: ValidAddress): Signal | null {
  const pattern = patternOf(address.local)
  if (locals.length < MIN_NEIGHBORS || pattern === "other") return null
  const share = locals.filter((local) => patternOf(local) === pattern).length / locals.length
  const weight = share >= 0.5 ? 0.9 : share >= 0.2 ? 0.3 : share > 0 ? -0.2 : -0.6
  return {
    signal: "domain_format",
    observation: `${percent(share)} of the domain's known names are ${pattern}`,
    weight,
  }
}

/** Reported outcomes of mail to other mailboxes of the domain. */
function neighborFeedback({ received, bounced }: LookUps): Signal | null {
  if (received + bounced === 0) return null
  const share = (received + 1) / (received + bounced + 2)
  return {
    signal: "neighbours",
    observation: `your reports for the domain: ${received} arrived, ${bounced} bounced`,
    weight: round(Math.max(-1.5, Math.min(1.5, Math.log(share / (1 - share))))),
  }
}

function ownFeedback({ reported }: LookUps): Signal | null {
  if (reported === null) return null
  return reported === "arrived"
    ? { signal: "feedback", observation: "you reported that mail to this address arrived", weight: 4.5 }
    : { signal: "feedback", observation: "you reported that mail to this address bounced", weight: -5 }
}

function directorySignal({ directory }: LookUps): Signal | null {
  switch (directory?.kind) {
    case "user":
      return directory.state === "active"
        ? { signal: "directory", observation: "the domain's directory contains the mailbox", weight: 4.5 }
        : {
            signal: "directory",
            observation: "the domain's directory contains an account that accepts no mail",
            weight: -2.5,
          }
    case "group":
    case "contact":
      return {
        signal: "directory",
        observation: `the domain's directory contains a ${directory.kind} with this address`,
        weight: 4,
      }
    case "entry":
      return { signal: "directory", observation: "the domain's directory contains this address", weight: 4 }
    case "nobody":
      return {
        signal: "directory",
        observation: "the domain's directory contains neither a user nor a group that receives mail",
        weight: -2.5,
      }
    default:
      return null
  }
}

function breached({ breaches }: LookUps): Signal | null {
  if (breaches === null) return null
  return breaches > 0
    ? { signal: "breaches", observation: `in ${breaches} of the imported breaches, so it was in use`, weight: 1.6 }
    : { signal: "breaches", observation: "in none of the imported breaches", weight: 0 }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function round(weight: number): number {
  return Math.round(weight * 100) / 100
}
