import type { ProbeGroup, ProbeRecipient } from "../schema/wire/probe.ts"
import type { Rcpt } from "./smtp/rcpt-queue.ts"

/** The recipients of one domain in one session. */
export interface DomainPart {
  readonly domain: string
  readonly recipients: readonly ProbeRecipient[]
  /** The random recipient for the catch-all probe, or null. */
  readonly control: string | null
}

/** A RCPT command and the recipient that it probes. */
export interface PlannedRcpt extends Rcpt {
  readonly part: DomainPart
  /** Null for the catch-all probe. */
  readonly recipient: ProbeRecipient | null
}

const NOT_ASCII = /[^\u0000-\u007f]/

/** Splits a group into sessions. Recipients of one domain stay together. */
export function planChunks({ recipients, controls, playbook }: ProbeGroup): DomainPart[][] {
  const wanted = playbook.control === "never" ? [] : controls
  const ordered = recipients.length > 1 ? recipients.toSorted(byDomain) : recipients
  const chunks: DomainPart[][] = []
  for (let at = 0; at < ordered.length; at += playbook.recipientsPerSession)
    chunks.push(byDomains(ordered.slice(at, at + playbook.recipientsPerSession), wanted))
  return chunks
}

function byDomains(recipients: readonly ProbeRecipient[], controls: readonly string[]): DomainPart[] {
  const parts: { domain: string; recipients: ProbeRecipient[]; control: string | null }[] = []
  for (const recipient of recipients) {
    const domain = domainOf(recipient.address)
    const last = parts.at(-1)
    if (last?.domain === domain) last.recipients.push(recipient)
    else {
      const control = controls.find((address) => domainOf(address) === domain) ?? null
      parts.push({ domain, recipients: [recipient], control })
    }
  }
  return parts
}

/** The real recipients. With controls, the catch-all probe of each domain follows its first recipient. */
export function planRcpts(parts: readonly DomainPart[], withControls: boolean): PlannedRcpt[] {
  const rcpts: PlannedRcpt[] = []
  for (const part of parts)
    for (const recipient of part.recipients) {
      const utf8 = NOT_ASCII.test(recipient.address)
      const batch = utf8 ? `${part.domain} utf8` : part.domain
      rcpts.push({ address: recipient.address, utf8, batch, part, recipient })
      if (withControls && part.control !== null && recipient === part.recipients[0])
        rcpts.push({ address: part.control, utf8, batch, part, recipient: null })
    }
  return rcpts
}

/** The catch-all probes alone, for a separate session. */
export function planCatchAllRcpts(parts: readonly DomainPart[]): PlannedRcpt[] {
  return parts.flatMap((part) =>
    part.control === null ? [] : [{ address: part.control, utf8: false, batch: part.domain, part, recipient: null }],
  )
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}

/** Sorts by domain, then ASCII addresses before those that need SMTPUTF8, then by the caller's order. */
function byDomain(one: ProbeRecipient, other: ProbeRecipient): number {
  const [domain, otherDomain] = [domainOf(one.address), domainOf(other.address)]
  if (domain !== otherDomain) return domain < otherDomain ? -1 : 1
  return Number(NOT_ASCII.test(one.address)) - Number(NOT_ASCII.test(other.address))
}
