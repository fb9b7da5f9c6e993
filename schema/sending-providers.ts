import type { FeedbackKind, InboundProvider } from "./vocabulary.ts"

/** What this service knows of a sending provider: for its routes, its reader, the console and the documents. */
export interface SendingProvider {
  readonly name: string
  /** The secret that proves the provider's events. */
  readonly secret: {
    readonly label: string
    /** Where the provider shows it. */
    readonly where: string
    /** Its form, for the error about another text. */
    readonly format: string
    /** Whether the provider sends it with the URL. This service can then generate it. */
    readonly isInUrl?: true
  }
  /** Whether its receivers also have a URL under `/bounce`. */
  readonly hasBounceUrl: boolean
  /**
   * The kind of each event, by the provider's name for it. Other fields decide whether a bounce is hard, and what a
   * subscription change of Postmark is: see its reader in src/adapters/suppression.
   */
  readonly events: Readonly<Record<string, Exclude<FeedbackKind, "hard_bounce" | "soft_bounce"> | "bounce">>
}

export const SENDING_PROVIDERS: Readonly<Record<InboundProvider, SendingProvider>> = {
  sendgrid: {
    name: "SendGrid",
    secret: {
      label: "Verification key",
      where: "Settings, Mail Settings, Event Webhook, Signature Verification",
      format: "base64 of a P-256 public key",
    },
    hasBounceUrl: true,
    events: {
      bounce: "bounce",
      dropped: "bounce",
      delivered: "delivered",
      open: "opened",
      click: "clicked",
      spamreport: "spam_complaint",
      unsubscribe: "unsubscribe",
    },
  },
  mailgun: {
    name: "Mailgun",
    secret: {
      label: "Webhook signing key",
      where: "Settings, API security, HTTP webhook signing key",
      format: "at least 16 characters",
    },
    hasBounceUrl: true,
    events: {
      failed: "bounce",
      delivered: "delivered",
      opened: "opened",
      clicked: "clicked",
      complained: "spam_complaint",
      unsubscribed: "unsubscribe",
    },
  },
  postmark: {
    name: "Postmark",
    secret: {
      label: "User and password",
      where: "user:password of your choice, part of the URL, and generated when left out",
      format: "user:password with a password of at least 16 characters",
      isInUrl: true,
    },
    hasBounceUrl: true,
    events: {
      Bounce: "bounce",
      Delivery: "delivered",
      Open: "opened",
      Click: "clicked",
      SpamComplaint: "spam_complaint",
      SubscriptionChange: "unsubscribe",
    },
  },
  ses: {
    name: "Amazon SES",
    secret: {
      label: "ARN of the SNS topic",
      where: "SNS, Topics",
      format: "the ARN of an SNS topic, such as arn:aws:sns:us-east-1:123456789012:events",
    },
    hasBounceUrl: false,
    events: {
      Bounce: "bounce",
      Complaint: "spam_complaint",
      Delivery: "delivered",
      Open: "opened",
      Click: "clicked",
      Subscription: "unsubscribe",
    },
  },
}

/** "SendGrid, Mailgun, Postmark or Amazon SES". */
export const ANY_SENDING_PROVIDER = Object.values(SENDING_PROVIDERS)
  .map(({ name }) => name)
  .join(", ")
  .replace(/, (?=[^,]*$)/, " or ")
