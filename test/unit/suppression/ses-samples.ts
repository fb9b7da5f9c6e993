import type { InboundProvider } from "../../../schema/vocabulary.ts"

/** A realistic event, and the fields that its record comes from. */
export interface Sample {
  readonly name: string
  readonly provider: InboundProvider
  readonly event: object
  /** Paths of id, recipient and the words that make up the kind of event. */
  readonly identity: readonly string[]
  /** Paths that the recorded time or code comes from. */
  readonly times?: readonly string[]
  readonly codes?: readonly string[]
  /** Paths whose text or boolean may change the kind of event. */
  readonly kinds?: readonly string[]
}

const MAIL = {
  timestamp: "2026-11-21T11:58:00.000Z",
  source: "news@d0302.test",
  sourceArn: "arn:aws:ses:us-east-1:123456789012:identity/d0302.test",
  sourceIp: "192.0.2.1",
  sendingAccountId: "123456789012",
  messageId: "00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000",
  destination: ["user1@d0301.test"],
  headersTruncated: false,
  headers: [{ name: "From", value: "news@d0302.test" }],
  commonHeaders: { from: ["news@d0302.test"], to: ["user1@d0301.test"], subject: "News" },
  tags: { campaign: ["news"] },
}
const AT = { timestamp: "2026-11-21T11:58:59.000Z" }
const sesSample = (
  form: "eventType" | "notificationType",
  type: string,
  part: object,
  rest: Partial<Sample>,
): Sample => ({
  name: `SES ${form} ${type}`,
  provider: "ses",
  event: { [form]: type, mail: MAIL, [type.toLowerCase()]: part },
  times: [`${type.toLowerCase()}.timestamp`],
  identity: [],
  ...rest,
})
const RECIPIENTS = [
  {
    emailAddress: "user1@d0301.test",
    action: "failed",
    status: "5.1.1",
    diagnosticCode: "smtp; 550 5.1.1 user unknown",
  },
  { emailAddress: "User Two <user2@d0301.test>", action: "failed", status: "5.1.1" },
]
const BOUNCE = {
  ...AT,
  bounceType: "Permanent",
  bounceSubType: "General",
  bouncedRecipients: RECIPIENTS.slice(0, 1),
  feedbackId: "01000138111222aa-0001",
  remoteMtaIp: "192.0.2.2",
  reportingMTA: "dsn; a4-1.smtp-out.d0302.test",
}

export const SES_SAMPLES: readonly Sample[] = [
  ...(["eventType", "notificationType"] as const).flatMap((form) => [
    sesSample(form, "Bounce", BOUNCE, {
      identity: [form, "bounce.bouncedRecipients.0.emailAddress"],
      codes: ["bounce.bouncedRecipients.0.status"],
    }),
    sesSample(
      form,
      "Complaint",
      {
        ...AT,
        complainedRecipients: [{ emailAddress: "user1@d0301.test" }],
        complaintFeedbackType: "abuse",
        complaintSubType: null,
        feedbackId: "f1",
        userAgent: "ARF/1.0",
        arrivalDate: "2026-11-21T11:58:59.000Z",
      },
      { identity: [form, "complaint.complainedRecipients.0.emailAddress"] },
    ),
    sesSample(
      form,
      "Delivery",
      { ...AT, recipients: ["user1@d0301.test"], processingTimeMillis: 546, smtpResponse: "250 ok" },
      { identity: [form, "delivery.recipients.0"] },
    ),
  ]),
  sesSample(
    "eventType",
    "Open",
    { ...AT, ipAddress: "192.0.2.9", userAgent: "Mozilla" },
    {
      identity: ["eventType", "mail.destination.0"],
    },
  ),
  sesSample(
    "eventType",
    "Click",
    { ...AT, link: "https://d0302.test/", linkTags: { a: ["b"] } },
    {
      identity: ["eventType", "mail.destination.0"],
    },
  ),
  sesSample(
    "eventType",
    "Subscription",
    {
      ...AT,
      contactList: "list",
      source: "UnsubscribeHeader",
      newTopicPreferences: { unsubscribeAll: true, topicSubscriptionStatus: [] },
    },
    {
      identity: ["eventType", "mail.destination.0", "subscription.newTopicPreferences.unsubscribeAll"],
    },
  ),
]

/** Messages of several recipients, made from the list of these. */
export const OF_SEVERAL: readonly (readonly [string, string, (items: readonly unknown[]) => object])[] = [
  [
    "bounce",
    "hard_bounce",
    (bouncedRecipients) => ({ eventType: "Bounce", mail: MAIL, bounce: { ...BOUNCE, bouncedRecipients } }),
  ],
  [
    "complaint",
    "spam_complaint",
    (complainedRecipients) => ({
      notificationType: "Complaint",
      mail: MAIL,
      complaint: { ...AT, complainedRecipients },
    }),
  ],
]
