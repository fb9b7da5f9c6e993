import type { InboundProvider } from "../../../../schema/vocabulary.ts"

interface Provider {
  readonly name: string
  /** The label of the field with the secret of its scheme. */
  readonly secret: string
  readonly hint: string
}

/** The sending providers, and where the secret that proves their events is found. */
export const PROVIDERS: Readonly<Record<InboundProvider, Provider>> = {
  sendgrid: {
    name: "SendGrid",
    secret: "Verification key",
    hint: "At SendGrid: Settings, Mail Settings, Event Webhook, Signature Verification.",
  },
  mailgun: {
    name: "Mailgun",
    secret: "Webhook signing key",
    hint: "At Mailgun: Settings, API security, HTTP webhook signing key.",
  },
  postmark: {
    name: "Postmark",
    secret: "User and password",
    hint: "Of your choice, as user:password. Leave it empty, and we choose them.",
  },
  ses: {
    name: "Amazon SES",
    secret: "ARN of the SNS topic",
    hint: "At Amazon: SNS, Topics. It starts with arn:aws:sns:",
  },
}
