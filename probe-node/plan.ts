import type { ProbeGroup, ProbeRecipient } from "../schema/wire/probe.ts"
import type { Ask } from "./smtp/asks.ts"

/** The recipients one session is meant to serve, domain by domain, and the random sibling of each domain. */
export interface Chunk {
  readonly recipients: readonly ProbeRecipient[]
  readonly controls: ReadonlyMap<string, string>
}

/** A RCPT and whose question it answers. */
export interface PlannedAsk extends Ask {
  readonly subject: { readonly recipient: ProbeRecipient } | { readonly controlOf: string }
}

const NOT_ASCII = /[^\u0000-\u007f]/

/** Cuts a group into sessions, keeping the recipients of a domain together. */
export function planChunks({ recipients, controls, playbook }: ProbeGroup): Chunk[] {
  const ordered = recipients.length > 1 ? recipients.toSorted(byDomain) : recipients
  const controlOf = new Map(controls.map((address) => [domainOf(address), address]))
  const chunks: Chunk[] = []
  for (let at = 0; at < ordered.length; at += playbook.recipientsPerSession) {
    const part = ordered.slice(at, at + playbook.recipientsPerSession)
    const wanted = new Map<string, string>()
    for (const { address } of part) {
      const control = controlOf.get(domainOf(address))
      if (control !== undefined && playbook.control !== "never") wanted.set(domainOf(address), control)
    }
    chunks.push({ recipients: part, controls: wanted })
  }
  return chunks
}

/** The real recipients of a chunk; with controls, each domain's random sibling stands second, behind the first of them. */
export function planAsks({ recipients, controls }: Chunk, withControls: boolean): PlannedAsk[] {
  const asks: PlannedAsk[] = []
  let domain: string | null = null
  for (const recipient of recipients) {
    const { address } = recipient
    const utf8 = NOT_ASCII.test(address)
    const own = domainOf(address)
    const batch = utf8 ? `${own} utf8` : own
    asks.push({ address, utf8, batch, subject: { recipient } })
    const control = own === domain ? undefined : controls.get(own)
    domain = own
    if (withControls && control !== undefined) asks.push({ address: control, utf8, batch, subject: { controlOf: own } })
  }
  return asks
}

/** The random siblings alone, for a session of their own. */
export function planControls(controls: ReadonlyMap<string, string>): PlannedAsk[] {
  return [...controls].map(([batch, address]) => ({ address, utf8: false, batch, subject: { controlOf: batch } }))
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1)
}

/** Within a domain, addresses that need no SMTPUTF8 come first, and otherwise the caller's order stays. */
function byDomain(one: ProbeRecipient, other: ProbeRecipient): number {
  const [domain, otherDomain] = [domainOf(one.address), domainOf(other.address)]
  if (domain !== otherDomain) return domain < otherDomain ? -1 : 1
  return Number(NOT_ASCII.test(one.address)) - Number(NOT_ASCII.test(other.address))
}
