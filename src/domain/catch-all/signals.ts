import type { ValidAddress } from "../address/parse.ts"
import { patternOf } from "../address/pattern.ts"
import { DAY_MS } from "../time.ts"
import type { DirectoryAnswer } from "../verdict/directory.ts"
import { judge } from "../verdict/judge.ts"
import { maskOtherAddresses } from "../verdict/transcript.ts"
import type { Verification } from "../verdict/verification.ts"
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

/** Facts about other mailboxes of the domain. */
interface Neighborhood {
  /** Local parts of addresses that are not known to be missing, without the verified address. */
  readonly locals: readonly string[]
  /** Addresses of the domain for which the caller's account reported an outcome. */
  readonly received: number
  readonly bounced: number
}

export interface SignalInput {
  readonly verification: Verification
  readonly address: ValidAddress
  readonly neighbors: Neighborhood
  /** Outcome that the caller's account reported for this address. Null without a report. */
  readonly reported: "arrived" | "bounced" | null
  /** Null when no directory covers the domain. */
  readonly directory: DirectoryAnswer | null
  /** Number of imported breaches with the address. Null when none are imported. */
  readonly breaches: number | null
}

/** With fewer neighbors there is no format, and the neighbors could be identified. */
const MIN_NEIGHBORS = 5

/** Returns the signals of an address in the order of the verification, without those that were not checked. */
export function signalsOf(input: SignalInput): Signal[] {
  return [
    smtp(input),
    replyDifference(input),
    realism(input),
    domainFormat(input),
    neighborFeedback(input),
    ownFeedback(input),
    directorySignal(input),
    gravatar(input),
    breached(input),
    webPresence(input),
    domainAge(input),
  ].filter((signal) => signal !== null)
}

/** By the server's replies alone: the account's own bounce is a signal of its own. */
function smtp({ verification: { evidence, replies } }: SignalInput): Signal | null {
  const { status, isCatchAll } = judge(evidence, replies)
  if (status === "valid")
    return isCatchAll === false
      ? { signal: "smtp", observation: "the server accepts this recipient and refuses a random one", weight: 4 }
      : {
          signal: "smtp",
          observation: "the server accepts this recipient; the result for a random one is unclear",
          weight: 1.2,
        }
  if (status === "invalid") return { signal: "smtp", observation: "the server refuses this recipient", weight: -6 }
  return status === "accept_all"
    ? { signal: "smtp", observation: "the server accepts every recipient, so its answer proves nothing", weight: 0 }
    : { signal: "smtp", observation: "the server gave no answer about the recipient", weight: 0 }
}

/** A server with different replies to this recipient and to a random one treats them differently. */
function replyDifference({ verification, address }: SignalInput): Signal | null {
  const { evidence, replies } = verification
  const { mailbox } = evidence
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

function domainFormat({ address, neighbors: { locals } }: SignalInput): Signal | null {
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
function neighborFeedback({ neighbors: { received, bounced } }: SignalInput): Signal | null {
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
    case "nobody":
      return {
        signal: "directory",
        observation: "the domain's directory contains neither a user nor a group",
        weight: -2.5,
      }
    default:
      return null
  }
}

function gravatar({ verification }: SignalInput): Signal | null {
  const found = verification.evidence.gravatar?.found ?? null
  if (found === null) return null
  return found
    ? { signal: "gravatar", observation: "a Gravatar exists for this address", weight: 1.8 }
    : { signal: "gravatar", observation: "no Gravatar, as for most addresses", weight: -0.1 }
}

function breached({ breaches }: SignalInput): Signal | null {
  if (breaches === null) return null
  return breaches > 0
    ? { signal: "breaches", observation: `in ${breaches} of the imported breaches, so it was in use`, weight: 1.6 }
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
