import type { ValidAddress } from "../address/parse.ts"
import { patternOf } from "../address/pattern.ts"
import { classifyOutcome } from "../mail/classify-reply.ts"
import { DAY_MS } from "../time.ts"
import type { DirectoryAnswer } from "../verdict/directory.ts"
import { hideOthers } from "../verdict/transcript.ts"
import type { Verification } from "../verdict/verification.ts"
import { nameRealism } from "./name-realism.ts"

/** What speaks for or against one mailbox of a domain that accepts everything. */
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
  /** What was observed, in words without anybody else's address. */
  readonly observation: string
  /** Natural log-odds it adds; 0 says nothing. */
  readonly weight: number
}

/** What is known about other mailboxes of the domain. */
interface Neighbourhood {
  /** Local parts of addresses that are not known to be missing, the one in question left out. */
  readonly locals: readonly string[]
  /** Addresses of the domain that were reported back by the caller's account. */
  readonly received: number
  readonly bounced: number
}

export interface SignalInput {
  readonly verification: Verification
  readonly address: ValidAddress
  readonly neighbours: Neighbourhood
  /** What the caller's account reported of this address; null when nothing. */
  readonly reported: "arrived" | "bounced" | null
  /** Null when no directory answers for the domain. */
  readonly directory: DirectoryAnswer | null
  /** In how many imported breaches the address is; null when there are none to search. */
  readonly breaches: number | null
}

/** Fewer neighbours show no format, and would show who they are. */
const MIN_NEIGHBOURS = 5

/** All signals about an address, in the order of the verification; those that were not looked at are left out. */
export function signalsOf(input: SignalInput): Signal[] {
  return [
    smtp(input),
    replyDifference(input),
    realism(input),
    domainFormat(input),
    neighbourFeedback(input),
    ownFeedback(input),
    directorySignal(input),
    gravatar(input),
    breached(input),
    webPresence(input),
    domainAge(input),
  ].filter((signal) => signal !== null)
}

function smtp({ verification: { verdict } }: SignalInput): Signal | null {
  const { status, isCatchAll } = verdict
  if (status === "valid")
    return isCatchAll === false
      ? { signal: "smtp", observation: "the server takes this recipient and refuses a random one", weight: 4 }
      : {
          signal: "smtp",
          observation: "the server takes this recipient; a random one got no clear answer",
          weight: 1.2,
        }
  if (status === "invalid") return { signal: "smtp", observation: "the server refuses this recipient", weight: -6 }
  return status === "accept_all"
    ? { signal: "smtp", observation: "the server takes every recipient, so its answer says nothing", weight: 0 }
    : { signal: "smtp", observation: "the server gave no answer about the recipient", weight: 0 }
}

/** A server that words its answer for this recipient otherwise than for a random one treats them differently. */
function replyDifference({ verification, address }: SignalInput): Signal | null {
  const { mailbox } = verification.evidence
  if (mailbox?.outcome.kind !== "reply" || mailbox.control?.kind !== "reply") return null
  const [own, random] = [mailbox.outcome, mailbox.control].map((outcome) => ({
    meaning: classifyOutcome(outcome).class,
    text: wording(outcome.reply.text, address),
  }))
  if (own!.meaning !== "accepted" || random!.meaning !== "accepted") return null
  return own!.text === random!.text
    ? { signal: "reply_difference", observation: "the reply is worded as for a random recipient", weight: -0.1 }
    : {
        signal: "reply_difference",
        observation: "the reply is worded otherwise than for a random recipient",
        weight: 0.6,
      }
}

/** A reply without addresses, numbers and identifiers, which differ in any case. */
function wording(text: string, address: ValidAddress): string {
  return hideOthers(text, address)
    .toLowerCase()
    .replaceAll(address.normalized.toLowerCase(), "***@domain")
    .replaceAll(`***@${address.domain}`, "***@domain")
    .replace(/[a-z0-9.-]*\d[a-z0-9.-]*/g, "#")
}

function realism({ address, verification }: SignalInput): Signal {
  if (verification.evidence.lists.isRole)
    return { signal: "role_account", observation: "named after a function that most domains have", weight: 0.6 }
  const { score, why } = nameRealism(address.local)
  return {
    signal: "name_realism",
    observation: `the name reads as ${why.replaceAll("_", " ")}, realism ${score.toFixed(2)}`,
    weight: round((score - 0.5) * 2.4),
  }
}

function domainFormat({ address, neighbours: { locals } }: SignalInput): Signal | null {
  const pattern = patternOf(address.local)
  if (locals.length < MIN_NEIGHBOURS || pattern === "other") return null
  const share = locals.filter((local) => patternOf(local) === pattern).length / locals.length
  const weight = share >= 0.5 ? 0.9 : share >= 0.2 ? 0.3 : share > 0 ? -0.2 : -0.6
  return {
    signal: "domain_format",
    observation: `${percent(share)} of the domain's known names are ${pattern}`,
    weight,
  }
}

/** Mail to a domain that mostly came back, or mostly arrived, tells of its other mailboxes too. */
function neighbourFeedback({ neighbours: { received, bounced } }: SignalInput): Signal | null {
  if (received + bounced === 0) return null
  const share = (received + 1) / (received + bounced + 2)
  return {
    signal: "neighbours",
    observation: `your reports for the domain: ${received} arrived, ${bounced} bounced`,
    weight: round(Math.max(-1.5, Math.min(1.5, Math.log(share / (1 - share))))),
  }
}

function ownFeedback({ reported }: SignalInput): Signal | null {
  if (reported === null) return null
  return reported === "arrived"
    ? { signal: "feedback", observation: "you reported that mail to this address arrived", weight: 4.5 }
    : { signal: "feedback", observation: "you reported that mail to this address bounced", weight: -5 }
}

function directorySignal({ directory }: SignalInput): Signal | null {
  switch (directory?.kind) {
    case "user":
      return directory.state === "active"
        ? { signal: "directory", observation: "the domain's directory knows the mailbox", weight: 4.5 }
        : {
            signal: "directory",
            observation: "the domain's directory knows an account that takes no mail",
            weight: -2.5,
          }
    case "group":
    case "contact":
      return {
        signal: "directory",
        observation: `the domain's directory knows a ${directory.kind} of this address`,
        weight: 4,
      }
    case "nobody":
      return { signal: "directory", observation: "the domain's directory knows neither user nor group", weight: -2.5 }
    default:
      return null
  }
}

function gravatar({ verification }: SignalInput): Signal | null {
  const found = verification.evidence.gravatar?.found ?? null
  if (found === null) return null
  return found
    ? { signal: "gravatar", observation: "somebody signed up for a Gravatar with this address", weight: 1.8 }
    : { signal: "gravatar", observation: "no Gravatar; most addresses have none", weight: -0.1 }
}

function breached({ breaches }: SignalInput): Signal | null {
  if (breaches === null) return null
  return breaches > 0
    ? { signal: "breaches", observation: `in ${breaches} of the imported breaches, so it was in use once`, weight: 1.6 }
    : { signal: "breaches", observation: "in none of the imported breaches", weight: 0 }
}

function webPresence({ verification }: SignalInput): Signal | null {
  const web = verification.evidence.domain?.web
  if (!web) return null
  if (web.parkedAt) return { signal: "web_presence", observation: "the domain is parked", weight: -2.5 }
  return web.site === "none"
    ? { signal: "web_presence", observation: "the domain has no web site", weight: -0.4 }
    : { signal: "web_presence", observation: "the domain has a web site", weight: 0.2 }
}

function domainAge({ verification }: SignalInput): Signal | null {
  const registration = verification.evidence.domain?.registration
  if (registration?.kind !== "registered") return null
  const days = Math.max(0, Math.floor((verification.verifiedAt - registration.at) / DAY_MS))
  const weight = days < 30 ? -0.6 : days < 365 ? 0 : 0.2
  return { signal: "domain_age", observation: `the domain is ${days} days old`, weight }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function round(weight: number): number {
  return Math.round(weight * 100) / 100
}
