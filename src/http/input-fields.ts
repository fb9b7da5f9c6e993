import { z } from "@hono/zod-openapi"
import { email } from "./fields.ts"

/** ASCII letters, digits, dots and hyphens, or any character that IDNA may map to them. */
const NAME = "(?:[A-Za-z0-9.-]|[^\\x00-\\x7F])+"
const COMPANY = `\\s*(?:[A-Za-z][A-Za-z0-9+.-]{0,20}://)?(?:[^/?#]*@)?${NAME}(?::[0-9]{1,5})?(?:[/?#][\\s\\S]*)?\\s*`
const WEB_URL = "[Hh][Tt][Tt][Pp][Ss]?:[^\\s\\x00-\\x1F\\x7F]+"

/**
 * Patterns of the published document, for generators and testers. A pattern matches each text that the handler accepts.
 * The handler decides and gives the reason. The syntax works in JavaScript, Python, Go and Rust.
 */
export const PATTERNS = {
  /** What `wellFormedDomain` and `wellFormedHost` accept. */
  domain: `^\\s*${NAME}\\s*$`,
  optionalDomain: `^(?:\\s*${NAME}\\s*)?$`,
  /** What `readCompanyDomain` accepts: a domain, a URL or an address. */
  companyDomain: `^${COMPANY}$`,
  /** The same, or blank. */
  optionalCompanyDomain: `^(?:${COMPANY}|\\s*)$`,
  /** What `parseSuppressedDomain` accepts. */
  suppressedDomain: `^\\s*\\*?@?${NAME}\\s*$`,
  /** What `wellFormed` accepts. */
  mailbox: "^[\\s\\S]+@[\\s\\S]+$",
  /** What `findAccount` accepts: the id of an account or of a key, or a mailbox. */
  account: "^(?:acc_|kid_)|^[\\s\\S]+@[\\s\\S]+$",
  /** What has at least one letter, in any script. Python has no class of letters. */
  personName: "[A-Za-z]|[^\\x00-\\x7F]",
  /** A whole IPv4 or IPv6 address. */
  ipAddress: "^(?:[0-9]{1,3}(?:[.][0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f.:]+)$",
  /** A date, or a date and a time (RFC 3339). */
  moment: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?$",
  /** What `readTargetUrl` accepts. */
  webUrl: `^${WEB_URL}$`,
  optionalWebUrl: `^(?:${WEB_URL})?$`,
  /** What an endpoint for webhooks may be: a URL, or `isPolledUrl`. */
  endpointUrl: `^(?:${WEB_URL}|poll:[A-Za-z0-9_.:/-]{1,200})$`,
  /** What `normalOrigin` accepts. URL parsers also drop control characters, which no origin has. */
  origin: "^\\s*[Hh][Tt][Tt][Pp][Ss]?:[^?#]+[?]?[#]?\\s*$",
  /** What `normalNetwork` accepts. */
  network: "^\\s*[0-9A-Fa-f.:]+(?:/[0-9]{1,3})?\\s*$",
} as const

/** A bare domain in a request. `wellFormedDomain` reads it. */
export function domainName() {
  return z.string().openapi({
    pattern: PATTERNS.domain,
    description: "The domain, without a URL or an address around it",
    example: "mailbox.test",
  })
}

/** An address that must be well-formed, for calls other than a verification. `wellFormed` reads it. */
export function mailbox() {
  return email().openapi({ pattern: PATTERNS.mailbox })
}

/** The mailbox of an account's owner. `wellFormed` reads it. */
export function ownerMailbox() {
  return z.string().max(320).openapi({
    pattern: PATTERNS.mailbox,
    description: "The mailbox of the account's owner",
    example: "owner@example.org",
  })
}

/** The URL of a webhook for one request, empty for none. `readWebhookUrl` reads it. */
export function webhookUrl() {
  return z.string().max(2_000).openapi({
    pattern: PATTERNS.optionalWebUrl,
    description: "Public https URL that is called when the work is over",
    example: "https://hooks.example.org/mailverdict",
  })
}
