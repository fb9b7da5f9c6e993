import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { Fetch } from "../outbound.ts"
import type { InboundReader } from "./inbound.ts"
import { mailgun } from "./mailgun.ts"
import { postmark } from "./postmark.ts"
import { sendgrid } from "./sendgrid.ts"
import { confirmSubscription, createSes } from "./ses.ts"

/** The readers of all supported sending providers. */
export interface InboundReaders {
  readonly of: (provider: InboundProvider) => InboundReader
  /** Confirms a provider's subscription request. @throws AppError unavailable */
  readonly confirm: (url: string) => Promise<void>
}

/** @param fetch fetches certificates of Amazon SNS and confirms subscriptions there; nothing else */
export function createInboundReaders(fetch: Fetch): InboundReaders {
  const readers: Record<InboundProvider, InboundReader> = { sendgrid, mailgun, postmark, ses: createSes(fetch) }
  return { of: (provider) => readers[provider], confirm: (url) => confirmSubscription(fetch, url) }
}
