import type { ReplyRule } from "./reply-rule.ts"

/** Enhanced codes that decide for any text (RFC 3463 and the IANA registry of enhanced status codes). */
export const DECISIVE_CODE_RULES: readonly ReplyRule[] = [
  {
    id: "code.sender",
    enhanced: ["1.7", "1.8", "7.27"],
    reason: "sender",
    seen: "RFC 3463 section 3.2: X.1.7, X.1.8; RFC 7505 section 4.2: 550 5.7.27",
  },
  {
    id: "code.sender-authentication",
    enhanced: ["7.20", "7.21", "7.22", "7.23", "7.24", "7.26", "7.29", "7.30", "7.9"],
    reason: "sender",
    digit: 5,
    seen: "RFC 7372 section 3: X.7.20 to X.7.26",
  },
  {
    id: "code.courier-sender",
    codes: [517],
    reason: "sender",
    seen: "517-Domain does not exist: nowhere.example. (Courier, MAIL FROM)",
  },
  {
    id: "code.size",
    enhanced: ["2.3", "3.4"],
    reason: "policy",
    digit: 5,
    seen: "RFC 3463 sections 3.3 and 3.4: X.2.3, X.3.4 message too big",
  },
  {
    id: "code.ptr",
    enhanced: ["7.25"],
    reason: "ptr",
    seen: "RFC 7372 section 3.3: X.7.25 reverse DNS validation failed",
  },
  { id: "code.flood", enhanced: ["7.28"], reason: "rate", seen: "IANA registry: X.7.28 mail flood detected" },
  {
    id: "code.exchange-blocked-ip",
    enhanced: ["7.511", "7.512", "7.513", "7.606", "7.607", "7.608", "7.609", "7.610", "7.650", "7.651", "7.652"],
    reason: "ip",
    seen: "550 5.7.606 Access denied, banned sending IP [192.0.2.1]",
  },
  {
    id: "code.exchange-sender-rate",
    enhanced: ["2.121", "7.232", "7.233", "7.705", "7.708"],
    reason: "rate",
    seen: "554 5.2.121 The sender has exceeded the limit for the number of messages they can send to this recipient per hour.",
  },
  {
    id: "code.exchange-recipient-rate",
    enhanced: ["2.122"],
    class: "temporary",
    seen: "554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour.",
  },
  {
    id: "code.recipient-changed",
    enhanced: ["7.17", "7.18", "7.19"],
    class: "mailbox_missing",
    seen: "RFC 7293 section 4: X.7.17, X.7.18",
  },
  {
    id: "code.null-mx",
    enhanced: ["1.10"],
    class: "mailbox_missing",
    seen: "RFC 7505 section 4.1: 556 5.1.10; Exchange Online: 550 5.1.10 RESOLVER.ADR.RecipientNotFound",
  },
  {
    id: "code.account-disabled",
    enhanced: ["7.13"],
    class: "mailbox_disabled",
    codes: [550, 551, 552, 553, 554],
    seen: "RFC 5248 registry: X.7.13 user account disabled",
  },
]

/** Enhanced codes that decide when no rule for words matches. */
export const CODE_RULES: readonly ReplyRule[] = [
  { id: "code.full", enhanced: ["2.2"], class: "mailbox_full", seen: "RFC 3463 section 3.3: X.2.2 mailbox full" },
  {
    id: "code.bad-mailbox",
    enhanced: ["1.1", "1.2", "1.3", "1.6"],
    class: "mailbox_missing",
    seen: "RFC 3463 section 3.2: X.1.1 bad destination mailbox, X.1.2 system, X.1.3 syntax, X.1.6 moved",
  },
  // Not 521, which describes the host (RFC 7504 section 3): AOL refuses this client with 5.2.1 and only a link.
  {
    id: "code.disabled",
    enhanced: ["2.1"],
    class: "mailbox_disabled",
    codes: [550, 551, 552, 553, 554],
    seen: "RFC 3463 section 3.3: X.2.1 mailbox disabled, not accepting messages",
  },
  {
    id: "code.unknown-domain",
    enhanced: ["4.310"],
    class: "mailbox_missing",
    seen: "Exchange Online: 550 5.4.310 DNS domain does not exist",
  },
  // OpenSMTPD, for an unknown virtual user (6.8, measured). No other server uses 524.
  {
    id: "code.expansion",
    codes: [524],
    enhanced: ["2.4"],
    class: "mailbox_missing",
    seen: "524 5.2.4 Mailing list expansion problem: <them@example.com>",
  },
  {
    id: "code.system",
    enhanced: ["3.1", "3.5", "2.4"],
    class: "temporary",
    digit: 5,
    seen: "RFC 3463 section 3.4: X.3.1 mail system full, X.3.5 misconfigured",
  },
  {
    id: "code.routing",
    enhanced: ["4.*"],
    class: "temporary",
    digit: 5,
    codes: [550, 551, 552, 553, 554, 556],
    seen: "RFC 3463 section 3.5: X.4 network and routing",
  },
  {
    id: "code.protocol",
    enhanced: ["5.1", "5.2", "5.4", "5.5", "6.7"],
    class: "protocol_error",
    digit: 5,
    codes: [500, 501, 502, 503, 504, 505, 550, 553, 555],
    seen: "RFC 3463 section 3.6: X.5 mail delivery protocol; RFC 6531 section 3.7.4: X.6.7",
  },
  {
    id: "code.encryption",
    enhanced: ["7.10", "7.11"],
    reason: "tls",
    digit: 5,
    seen: "RFC 5248 registry: X.7.10 encryption needed",
  },
  {
    id: "code.security",
    enhanced: ["7.*", "6.*"],
    reason: "policy",
    digit: 5,
    seen: "RFC 3463 section 3.8: X.7.1 delivery not authorized, message refused",
  },
]

/** Bare codes (RFC 5321 section 4.2.3). None of them alone describes a mailbox as missing. */
export const REPLY_CODE_RULES: readonly ReplyRule[] = [
  {
    id: "reply.syntax",
    codes: [500, 501, 502, 503, 504, 505, 555],
    class: "protocol_error",
    seen: "RFC 5321 section 4.2.3: 500 to 504, 555",
  },
  {
    id: "reply.full",
    codes: [552],
    class: "mailbox_full",
    seen: "RFC 5321 section 4.2.3: 552 exceeded storage allocation",
  },
  {
    id: "reply.no-mail",
    codes: [556],
    class: "mailbox_missing",
    // Chinese providers use codes up to this number for their own errors.
    pattern: "^ (?:~ ?)?$|\\bmx\\b|\\bdomain\\b|not accept",
    seen: "RFC 7504 section 4: 556 domain does not accept mail",
  },
  {
    id: "reply.transient",
    digit: 4,
    class: "temporary",
    seen: "RFC 5321 section 4.2.1: 4yz transient negative completion",
  },
  {
    id: "reply.permanent",
    digit: 5,
    reason: "policy",
    seen: "RFC 5321 section 4.2.3: 550 no access, or command rejected for policy reasons",
  },
]
