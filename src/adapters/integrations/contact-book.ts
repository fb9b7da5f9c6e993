import type { Contact, ContactFinding } from "../../domain/integrations/finding.ts"
import type { Answered } from "../../domain/integrations/trouble.ts"

interface ContactPage {
  readonly contacts: readonly Contact[]
  /** Where the next page begins; null when this was the last. */
  readonly next: string | null
}

export interface Written {
  readonly written: number
  /** Contacts the provider would not take the finding of. */
  readonly rejected: number
  /** The provider's code for that, of the first of them. */
  readonly code: string | null
}

/** Contacts kept at a provider. Nothing here rejects. */
export interface ContactBook {
  /** Whether the credentials open what is needed. @returns whose they are, as far as the provider says */
  check(): Promise<Answered<string | null>>
  /** Makes what is to be written into, where that can be made. May be called again. */
  prepare(): Promise<Answered<null>>
  page(cursor: string | null): Promise<Answered<ContactPage>>
  /** Writes findings of one page. Writing the same ones again changes nothing. */
  write(findings: readonly ContactFinding[]): Promise<Answered<Written>>
}

/** Somebody's channel or hook that takes messages. Nothing here rejects. */
export interface Messenger {
  check(): Promise<Answered<string | null>>
  send(message: Message): Promise<Answered<null>>
}

export interface Message {
  readonly text: string
  /** Where to, for Slack's bots; null for where the integration writes. */
  readonly channel: string | null
  /** What else goes along, for Zapier's programs. */
  readonly payload: Readonly<Record<string, unknown>> | null
}
