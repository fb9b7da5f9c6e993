import type { ValidAddress } from "../address/parse.ts"
import { DAY_MS } from "../time.ts"
import { judge } from "../verdict/judge.ts"
import type { Judged } from "../verdict/judged.ts"
import { maskOtherAddresses } from "../verdict/transcript.ts"
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

/**
 * Returns the signals that the evidence and the address alone contain, without those that were not checked. What most
 * domains have, such as a web site, has no weight: a list looks up less, and judges most addresses the same.
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

/** By the server's replies alone: the account's own bounce is a signal of its own. */
function smtp({ evidence, replies }: Judged): Signal {
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
    .replace(/[a-z0-9.-]*\d[a-z0-9.-]*/g, "#")
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
    ? { signal: "web_presence", observation: "the domain has no web site", weight: -0.4 }
    : { signal: "web_presence", observation: "the domain has a web site", weight: 0 }
}

function domainAge({ evidence, verifiedAt }: Judged): Signal | null {
  const registration = evidence.domain?.registration
  if (registration?.kind !== "registered") return null
  const days = Math.max(0, Math.floor((verifiedAt - registration.at) / DAY_MS))
  const weight = days < 30 ? -0.6 : 0
  return { signal: "domain_age", observation: `the domain is ${days} days old`, weight }
}
