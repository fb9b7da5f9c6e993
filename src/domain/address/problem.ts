/** Every reason for a malformed address or domain, with the message for the person that typed it. */
const MESSAGES = {
  empty: "The text is empty. An address looks like name@example.com.",
  too_long: "The address is longer than the 254 octets that SMTP can carry.",
  no_at_sign: 'The "@" between name and domain is missing.',
  at_sign_in_domain: 'The address has a second "@". Outside quotes only one is allowed.',
  several_addresses: "The text lists several addresses. Send each one by itself.",
  white_space: "White space is not allowed here.",
  control_character: "Control characters and line breaks are not allowed.",
  invisible_character: "This character is invisible (zero width, text direction or similar). Remove it.",
  not_a_character: "This is not a complete character, was lost in decoding, or has no meaning in mail.",
  comment: "Comments in parentheses are not part of an address.",
  empty_local: 'The name before the "@" is missing.',
  local_too_long: 'The part before the "@" is longer than 64 octets.',
  leading_dot: 'The part before the "@" begins with a dot.',
  trailing_dot: 'The part before the "@" ends with a dot.',
  double_dot: 'The part before the "@" has two dots in a row.',
  bad_local_character: 'This character is not allowed before the "@" outside quotes.',
  misplaced_quote: 'Quotes must enclose the whole part before the "@".',
  unclosed_quote: "The opening quote has no closing quote.",
  bad_quoted_character: "This character is not allowed inside quotes, or no character follows the backslash.",
  empty_domain: 'The domain after the "@" is missing.',
  domain_too_long: "The domain is longer than 253 octets.",
  empty_label: "The domain begins with a dot or has two dots in a row.",
  label_too_long: "A part of the domain is longer than 63 octets.",
  bad_hyphen: "A part of the domain begins or ends with a hyphen, or has hyphens in third and fourth place.",
  bad_domain_character: "This character is not allowed in a domain.",
  bad_idn_label: "This part of the domain is not a valid internationalized name (IDNA).",
  single_label: "The domain has no dot. A mail domain on the Internet has at least two parts.",
  numeric_tld: "The last part of the domain has only digits. No top-level domain is numeric.",
  ip_address: "The domain is a bare IP address, not a name.",
  address_literal: "The address has an IP address instead of a domain. Such mailboxes cannot be verified.",
  bad_address_literal: "The IP address in square brackets is not well formed.",
} as const

export type MalformedReason = keyof typeof MESSAGES

/** A problem of a text and its position, a UTF-16 index. */
export interface Problem {
  readonly reason: MalformedReason
  readonly position: number
}

export interface MalformedAddress {
  readonly ok: false
  readonly reason: MalformedReason
  /** UTF-16 index into `input`. The length of `input` when something is missing at the end. */
  readonly position: number
  /** Plain English, for the person that typed the address. */
  readonly message: string
  /** A well-formed address literal (RFC 5321 §4.1.3) is valid in SMTP, but cannot be verified. */
  readonly isAddressLiteral: boolean
  /** The unchanged input. */
  readonly input: string
}

export function malformed(input: string, { reason, position }: Problem): MalformedAddress {
  return {
    ok: false,
    reason,
    position,
    message: MESSAGES[reason],
    isAddressLiteral: reason === "address_literal",
    input,
  }
}
