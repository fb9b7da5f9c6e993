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

/** Space and line separators of Unicode. */
const WHITE_SPACE = /\p{Z}/u
const LINE_BREAK = /[\u2028\u2029]/
/** Has no width or controls the text direction, so two addresses that look alike could differ. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Zero width joiner and non-joiner: part of the spelling in Indic and Arabic scripts and in emoji. */
const JOINER = /\p{Join_Control}/u
/** Invisible, but part of the spelling. */
const USEFUL = /[\p{Join_Control}\p{Variation_Selector}]/u
const MEANINGLESS = /[\p{Noncharacter_Code_Point}\p{Co}\p{Cs}]/u
const COMBINING = /\p{M}/u

/** Why the non-ASCII character at `index` is not allowed in an address, or undefined. Stricter than RFC 6531 §3.3. */
export function nonAsciiProblem(text: string, index: number): MalformedReason | undefined {
  const codePoint = text.codePointAt(index)!
  if (codePoint < 0xa0) return "control_character"
  const character = String.fromCodePoint(codePoint)
  if (LINE_BREAK.test(character)) return "control_character"
  if (WHITE_SPACE.test(character)) return "white_space"
  if (MEANINGLESS.test(character)) return "not_a_character"
  return INVISIBLE.test(character) && !USEFUL.test(character) ? "invisible_character" : undefined
}

/** Whether the character is a joiner that joins nothing: after ASCII or a joiner, or at the end of an atom. */
export function isStrayJoiner(text: string, index: number): boolean {
  if (!JOINER.test(text[index]!)) return false
  return (
    !/[^\0-\x7f\p{Join_Control}]/u.test(text[index - 1] ?? "") ||
    /^[@."\p{Join_Control}]?$/u.test(text[index + 1] ?? "")
  )
}

/** Whether the character at `index` is a combining mark, which needs a character before it. */
export function isCombining(text: string, index: number): boolean {
  return COMBINING.test(String.fromCodePoint(text.codePointAt(index) ?? 0))
}

/** Returns the length of the text in UTF-8 octets. */
export function utf8Length(text: string): number {
  let octets = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair is four octets: two more than its two units.
    octets += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return octets
}

/** Scripts in current use (UAX #31 table 5) and the most common other ones. A label may consist of any one of them. */
const SCRIPTS = (
  "Latn Cyrl Grek Armn Arab Hebr Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Ethi " +
  "Khmr Thaa Hang Hani Hira Kana Bopo Cher Mong Syrc Tfng Cans Yiii Nkoo Copt Goth"
).split(" ")

/** Scripts that may occur together (UTS #39 §5.2, highly restrictive). */
const TOGETHER = [
  ["Latn", "Hani", "Hira", "Kana"],
  ["Latn", "Hani", "Bopo"],
  ["Latn", "Hani", "Hang"],
]

/** Characters without a specific script: digits, hyphen, symbols, combining marks. */
const NEUTRAL = /[\p{sc=Zyyy}\p{sc=Zinh}]/gu

const classOf = (scripts: readonly string[]) => scripts.map((script) => `\\p{sc=${script}}`).join("")

/** A text without neutral characters is unmixed when one of these matches. The last one is for unlisted scripts. */
const UNMIXED = [...SCRIPTS.map((script) => [script]), ...TOGETHER]
  .map((scripts) => `^[${classOf(scripts)}]*$`)
  .concat(`^[^${classOf(SCRIPTS)}]*$`)

/** Compiled at first use, to shorten startup. Most labels need only the first few. */
const compiled = new Map<string, RegExp>()

/** Separates the words of a local part. Each word may have its own script, as in "иван.smith" or "иван+news". */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}\p{Join_Control}]+/u

/** Whether a label of the domain (U-label form) mixes scripts that do not belong together, as in lookalike domains. */
export function isMixedDomain(domainUnicode: string): boolean {
  return domainUnicode.split(".").some(isMixed)
}

/** The same for a word of the local part. */
export function isMixedLocal(local: string): boolean {
  return local.split(BETWEEN_WORDS).some(isMixed)
}

function isMixed(text: string): boolean {
  const letters = text.replace(NEUTRAL, "")
  return !UNMIXED.some((pattern) => matches(pattern, letters))
}

function matches(pattern: string, text: string): boolean {
  const regex = compiled.get(pattern) ?? new RegExp(pattern, "u")
  compiled.set(pattern, regex)
  return regex.test(text)
}
