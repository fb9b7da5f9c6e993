import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { Fetch } from "../outbound.ts"
import type { InboundReader } from "./inbound.ts"
import { mailgun } from "./mailgun.ts"
import { postmark } from "./postmark.ts"
import { sendgrid } from "./sendgrid.ts"
import { confirmSubscription, createSes } from "./ses.ts"

/** The sending providers whose events are taken. */
export interface InboundReaders {
  readonly of: (provider: InboundProvider) => InboundReader
  /** Says yes to a provider that asks whether its messages are wanted. @throws AppError unavailable */
  readonly confirm: (url: string) => Promise<void>
}

/** @param fetch asks Amazon SNS for certificates and confirms subscriptions there; nothing else */
export function createInboundReaders(fetch: Fetch): InboundReaders {
  const readers: Record<InboundProvider, InboundReader> = { sendgrid, mailgun, postmark, ses: createSes(fetch) }
  return { of: (provider) => readers[provider], confirm: (url) => confirmSubscription(fetch, url) }
}
