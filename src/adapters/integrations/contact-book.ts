import type { ProviderResult } from "../../domain/integrations/provider.ts"
import type { Contact, ContactFinding } from "../../domain/integrations/sync.ts"

interface ContactPage {
  readonly contacts: readonly Contact[]
  /** Cursor of the next page; null after the last page. */
  readonly next: string | null
}

export interface WriteResult {
  readonly written: number
  /** Contacts for which the provider refused the update. */
  readonly rejected: number
  /** The provider's error code of the first refused contact. */
  readonly code: string | null
}

/** Contacts stored at a provider. No method rejects. */
export interface ContactBook {
  /** Checks the credentials and permissions. @returns the provider's name for the account, if known */
  check(): Promise<ProviderResult<string | null>>
  /** Creates the fields that `write` needs, where the API allows it. May be repeated. */
  prepare(): Promise<ProviderResult<null>>
  page(cursor: string | null): Promise<ProviderResult<ContactPage>>
  /** Writes the results of one page. Repeating a write changes nothing. */
  write(findings: readonly ContactFinding[]): Promise<ProviderResult<WriteResult>>
}

/** A channel or hook that receives messages. No method rejects. */
export interface Messenger {
  check(): Promise<ProviderResult<string | null>>
  send(message: Message): Promise<ProviderResult<null>>
}

export interface Message {
  readonly text: string
  /** Channel for Slack bots; null for the integration's default. */
  readonly channel: string | null
  /** Additional data for Zapier. */
  readonly payload: Readonly<Record<string, unknown>> | null
}
