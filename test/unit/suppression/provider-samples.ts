import type { InboundProvider } from "../../../schema/vocabulary.ts"
import { mailgun } from "../../../src/adapters/suppression/mailgun.ts"
import { postmark } from "../../../src/adapters/suppression/postmark.ts"
import { sendgrid } from "../../../src/adapters/suppression/sendgrid.ts"
import { readSesEvents } from "../../../src/adapters/suppression/ses.ts"
import { asRequest, mailgunSigner, postmarkPost, sendgridSigner } from "../../support/providers/inbound-signers.ts"
import { type Sample, SES_SAMPLES } from "./ses-samples.ts"

export const NOW = Date.UTC(2026, 10, 21, 12)
const SECRET = "hook:0123456789abcdef"
const sendgridKey = sendgridSigner()
const mailgunKey = mailgunSigner()

/** Reads one genuine event of a provider. */
export const readers = {
  sendgrid: (event: unknown) =>
    sendgrid.read(asRequest(sendgridKey.post([event], NOW), NOW), sendgridKey.verificationKey),
  mailgun: (event: unknown) => mailgun.read(asRequest(mailgunKey.post(event, NOW), NOW), mailgunKey.signingKey),
  postmark: (event: unknown) => postmark.read(asRequest(postmarkPost(event, SECRET), NOW), SECRET),
  // Without the signature of SNS, which test/unit/suppression/ses.test.ts checks.
  ses: async (event: unknown) => readSesEvents("22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", event, NOW),
} satisfies Readonly<Record<InboundProvider, unknown>>

const SENDGRID = {
  email: "user1@d0301.test",
  timestamp: 1_795_262_000,
  sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
  sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-756b745b58-kmzbl-18-5F5FC76C-9.0",
  "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.d0302.test>",
  category: ["news", "weekly"],
  ip: "192.0.2.1",
  tls: 1,
  useragent: "Mozilla/5.0",
  url: "https://d0302.test/",
  asm_group_id: 7,
  marketing_campaign_id: 12,
  unique_args: { user: "5" },
}
const sendgridSample = (event: string, more: object = {}, rest: Partial<Sample> = {}): Sample => ({
  name: `SendGrid ${event}`,
  provider: "sendgrid",
  event: { ...SENDGRID, event, ...more },
  identity: ["email", "event", "sg_event_id"],
  times: ["timestamp"],
  ...rest,
})

const MAILGUN = {
  id: "ev0000000000000000001",
  timestamp: 1_795_262_000.123456,
  "log-level": "error",
  recipient: "user1@d0301.test",
  "recipient-domain": "d0301.test",
  message: {
    headers: { "message-id": "m1@d0302.test", to: "user1@d0301.test", from: "news@d0302.test", subject: "News" },
    attachments: [],
    size: 867,
  },
  envelope: { sender: "news@d0302.test", transport: "smtp", targets: "user1@d0301.test", "sending-ip": "192.0.2.1" },
  flags: { "is-routed": false, "is-authenticated": true, "is-system-test": false, "is-test-mode": false },
  storage: { url: "https://d0302.test/1", key: "1" },
  campaigns: [],
  tags: ["news"],
  "user-variables": { user: "5" },
}
const CLIENT = {
  "client-info": { bot: "", "client-type": "browser", "client-os": "Linux", "device-type": "desktop" },
  geolocation: { country: "US", region: "CA", city: "San Francisco" },
  ip: "192.0.2.9",
  url: "https://d0302.test/",
}
const mailgunSample = (event: string, more: object = {}, rest: Partial<Sample> = {}): Sample => ({
  name: `Mailgun ${event}`,
  provider: "mailgun",
  event: { ...MAILGUN, event, ...more },
  identity: ["event", "id", "recipient"],
  times: ["timestamp"],
  ...rest,
})
const MAILGUN_STATUS = {
  code: 550,
  "bounce-code": "5.1.1",
  message: "550 5.1.1 User unknown",
  description: "",
  "attempt-no": 1,
  "mx-host": "mx.d0301.test",
  "session-seconds": 0.4,
  "certificate-verified": true,
  tls: true,
  utf8: true,
}

const POSTMARK = {
  MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
  ServerID: 23,
  MessageStream: "outbound",
  Tag: "news",
  Metadata: { user: "5" },
}
const postmarkSample = (RecordType: string, more: object, rest: Partial<Sample>): Sample => ({
  name: `Postmark ${RecordType}`,
  provider: "postmark",
  event: { ...POSTMARK, RecordType, ...more },
  identity: [],
  ...rest,
})

export const SAMPLES: readonly Sample[] = [
  sendgridSample(
    "bounce",
    { type: "bounce", status: "5.1.1", reason: "550 5.1.1 user unknown", bounce_classification: "Invalid Address" },
    { codes: ["status"] },
  ),
  sendgridSample(
    "dropped",
    { reason: "Bounced Address", status: "5.0.0" },
    {
      identity: ["email", "event", "sg_event_id", "reason"],
      codes: ["status"],
    },
  ),
  sendgridSample("delivered", { response: "250 OK" }),
  sendgridSample("open", { sg_machine_open: false, sg_content_type: "html" }, { kinds: ["sg_machine_open"] }),
  sendgridSample("click", { url_offset: { index: 0, type: "html" } }),
  sendgridSample("spamreport"),
  sendgridSample("unsubscribe"),
  mailgunSample(
    "failed",
    { severity: "permanent", reason: "bounce", "delivery-status": MAILGUN_STATUS },
    {
      codes: ["delivery-status.code"],
    },
  ),
  mailgunSample(
    "delivered",
    { "delivery-status": { ...MAILGUN_STATUS, code: 250, message: "OK" } },
    {
      codes: ["delivery-status.code"],
    },
  ),
  mailgunSample("opened", CLIENT, { kinds: ["client-info.bot"] }),
  mailgunSample("clicked", CLIENT, { kinds: ["client-info.bot"] }),
  mailgunSample("complained", CLIENT),
  mailgunSample("unsubscribed", CLIENT),
  postmarkSample(
    "Bounce",
    {
      ID: 692_560_173,
      Type: "HardBounce",
      TypeCode: 1,
      Name: "Hard bounce",
      Description: "The server was unable to deliver your message",
      Details: "smtp;550 5.1.1 user unknown",
      Email: "user1@d0301.test",
      From: "news@d0302.test",
      BouncedAt: "2026-11-21T11:58:54.9070259Z",
      DumpAvailable: true,
      Inactive: true,
      CanActivate: true,
      Subject: "News",
    },
    {
      identity: ["RecordType", "Email", "ID", "MessageID"],
      times: ["BouncedAt"],
      codes: ["TypeCode"],
      kinds: ["TypeCode"],
    },
  ),
  postmarkSample(
    "Delivery",
    { Recipient: "user1@d0301.test", DeliveredAt: "2026-11-21T11:58:54Z", Details: "250 OK" },
    { identity: ["RecordType", "Recipient", "MessageID"], times: ["DeliveredAt"] },
  ),
  postmarkSample(
    "Open",
    {
      Recipient: "user1@d0301.test",
      FirstOpen: true,
      Client: { Name: "Chrome", Company: "Google", Family: "Chrome" },
      OS: { Name: "Linux", Company: "", Family: "Linux" },
      Platform: "WebMail",
      ReadSeconds: 5,
      Geo: { Country: "US", IP: "192.0.2.9" },
      ReceivedAt: "2026-11-21T11:58:54.9070259Z",
    },
    { identity: ["RecordType", "Recipient", "MessageID"], times: ["ReceivedAt"] },
  ),
  postmarkSample(
    "Click",
    { Recipient: "user1@d0301.test", ClickLocation: "HTML", ReceivedAt: "2026-11-21T11:58:54Z" },
    { identity: ["RecordType", "Recipient", "MessageID"], times: ["ReceivedAt"] },
  ),
  postmarkSample(
    "SpamComplaint",
    { ID: 42, Type: "SpamComplaint", TypeCode: 100_001, Email: "user1@d0301.test", BouncedAt: "2026-11-21T11:58:54Z" },
    { identity: ["RecordType", "Email", "ID", "MessageID"], times: ["BouncedAt"], codes: ["TypeCode"] },
  ),
  postmarkSample(
    "SubscriptionChange",
    {
      Recipient: "user1@d0301.test",
      Origin: "Recipient",
      SuppressSending: true,
      SuppressionReason: "ManualSuppression",
      ChangedAt: "2026-11-21T11:58:54Z",
    },
    {
      // The time is a part of the id.
      identity: ["RecordType", "Recipient", "MessageID", "SuppressionReason", "ChangedAt"],
      kinds: ["SuppressSending"],
    },
  ),
  ...SES_SAMPLES,
]
