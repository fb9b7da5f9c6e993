import type { ProbeGroup, ProbeRecipient } from "../schema/wire/probe.ts"
import type { Ask } from "./smtp/asks.ts"

/** What is asked about one domain in one session. */
export interface DomainPart {
  readonly domain: string
  readonly recipients: readonly ProbeRecipient[]
  /** The random sibling, when it is wanted. */
  readonly control: string | null
}

/** A RCPT and whom it is about. */
export interface PlannedAsk extends Ask {
  readonly part: DomainPart
  /** Null for the random sibling. */
  readonly recipient: ProbeRecipient | null
}

const NOT_ASCII = /[^\u0000-\u007f]/

/** Cuts a group into sessions, keeping the recipients of a domain together. */
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

/** The real recipients; with controls, each domain's random sibling stands second, behind the first of them. */
export function planAsks(parts: readonly DomainPart[], withControls: boolean): PlannedAsk[] {
  const asks: PlannedAsk[] = []
  for (const part of parts)
    for (const recipient of part.recipients) {
      const utf8 = NOT_ASCII.test(recipient.address)
      const batch = utf8 ? `${part.domain} utf8` : part.domain
      asks.push({ address: recipient.address, utf8, batch, part, recipient })
      if (withControls && part.control !== null && recipient === part.recipients[0])
        asks.push({ address: part.control, utf8, batch, part, recipient: null })
    }
  return asks
}

/** The random siblings alone, for a session of their own. */
export function planControls(parts: readonly DomainPart[]): PlannedAsk[] {
  return parts.flatMap((part) =>
    part.control === null ? [] : [{ address: part.control, utf8: false, batch: part.domain, part, recipient: null }],
  )
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}

/** Within a domain, addresses that need no SMTPUTF8 come first, and otherwise the caller's order stays. */
function byDomain(one: ProbeRecipient, other: ProbeRecipient): number {
  const [domain, otherDomain] = [domainOf(one.address), domainOf(other.address)]
  if (domain !== otherDomain) return domain < otherDomain ? -1 : 1
  return Number(NOT_ASCII.test(one.address)) - Number(NOT_ASCII.test(other.address))
}
