import type { ValidAddress } from "../address/parse.ts"
import { patternOf } from "../address/pattern.ts"
import type { DirectoryAnswer } from "../verdict/directory.ts"
import type { Signal } from "./signals.ts"

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
