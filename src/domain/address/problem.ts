/** Every reason an address or domain can be malformed, with what to tell the person who typed it. */
const MESSAGES = {
  empty: "There is nothing here; an address looks like name@example.com.",
  too_long: "The address is longer than the 254 octets that SMTP can carry.",
  surrounding_space: "The address begins or ends with white space; remove it.",
  no_at_sign: 'The "@" between name and domain is missing.',
  at_sign_in_domain: 'There is a second "@"; outside quotes an address has exactly one.',
  white_space: "White space is not allowed here.",
  control_character: "Control characters and line breaks are not allowed.",
  invisible_character: "An invisible character stands here (zero width, text direction or similar); remove it.",
  not_a_character: "This is half a character, one lost in decoding, or a code point that means nothing in mail.",
  comment: "Comments in parentheses are not part of an address.",
  empty_local: 'The name before the "@" is missing.',
  local_too_long: 'The part before the "@" is longer than 64 octets.',
  leading_dot: 'The part before the "@" begins with a dot.',
  trailing_dot: 'The part before the "@" ends with a dot.',
  double_dot: 'The part before the "@" has two dots in a row.',
  bad_local_character: 'This character is not allowed before the "@" outside quotes.',
  misplaced_quote: 'Quotes must enclose the whole part before the "@".',
  unclosed_quote: "The opening quote has no closing quote.",
  bad_quoted_character: "This character cannot stand inside quotes, or the backslash has nothing to quote.",
  empty_domain: 'The domain after the "@" is missing.',
  domain_too_long: "The domain is longer than 253 octets.",
  empty_label: "The domain begins with a dot or has two dots in a row.",
  label_too_long: "A part of the domain is longer than 63 octets.",
  bad_hyphen: "A part of the domain begins or ends with a hyphen, or has hyphens in third and fourth place.",
  bad_domain_character: "This character is not allowed in a domain.",
  bad_idn_label: "This part of the domain is not a valid internationalized name (IDNA).",
  single_label: "The domain has no dot; a mail domain on the Internet has at least two parts.",
  numeric_tld: "The last part of the domain consists of digits only; no top-level domain does.",
  ip_address: "The domain is a bare IP address, not a name.",
  address_literal: "The address names an IP address instead of a domain; such mailboxes cannot be verified.",
  bad_address_literal: "The IP address in square brackets is not well formed.",
} as const

export type MalformedReason = keyof typeof MESSAGES

/** What is wrong and where: `position` is a UTF-16 index into the text that was read. */
export interface Problem {
  readonly reason: MalformedReason
  readonly position: number
}

export interface MalformedAddress {
  readonly ok: false
  readonly reason: MalformedReason
  /** UTF-16 index into `input`; its length when something is missing at the end. */
  readonly position: number
  /** Plain English, for the person who typed the address. */
  readonly message: string
  /** A well-formed address literal (RFC 5321 §4.1.3): legal in SMTP, but not verifiable. */
  readonly isAddressLiteral: boolean
  /** The raw string, as given. */
  readonly input: string
}

export function malformed(input: string, { reason, position }: Problem): MalformedAddress {
  const shown = isAround(input, position) ? "surrounding_space" : reason
  return {
    ok: false,
    reason: shown,
    position,
    message: MESSAGES[shown],
    isAddressLiteral: reason === "address_literal",
    input,
  }
}

/** Whether the position is in the white space before or after the text. Over-long input is not searched. */
function isAround(input: string, position: number): boolean {
  if (input.length > 1_000 || position >= input.length || input.trim() === "") return false
  return position < input.length - input.trimStart().length || position >= input.trimEnd().length
}
