import type { ReplyClass, SuppressionReason } from "../../../schema/vocabulary.ts"
import { classifyReply } from "../smtp-reply/classify-reply.ts"
import { permanentBounce } from "./bounce.ts"

/** What a word of a reason means. `bounce` and `block` give way to a word that says more. */
type Meaning = SuppressionReason | "bounce" | "block"

/** Words of the exports of mail providers, without endings that `stem` removes. Other languages as their consoles write. */
const MEANINGS: Readonly<Record<Meaning, string>> = {
  spam_complaint: "complaint complain spam abuse abusive junk fbl spamreport spamcomplaint beschwerde plainte queja",
  unsubscribe:
    "unsubscribe unsub unsubscription optout optedout dnc donotcontact abgemeldet abmeldung desabonne desinscrit " +
    "desinscription baja desuscrito stop uitgeschreven afgemeld disiscritto cancellato descadastrado desinscrito отписался отписан " +
    "wypisany wypisano odhlasen",
  soft_bounce:
    "soft transient temporary temporarily temp deferred deferral defer delay undetermined softbounce softfail overquota expired suave",
  hard_bounce:
    "hard permanent invalid bad nonexistent undeliverable dead cleaned hardbounce hardfail ungultig invalide invalido duro",
  manual:
    "manual admin administrator operator custom suppress suppression blacklist blocklist denylist import upload manuell manuel",
  bounce: "bounce fail failure undelivered reject rejection rebote",
  block: "block preblock",
}
const MEANING_OF = new Map(
  Object.entries(MEANINGS).flatMap(([meaning, words]) => words.split(" ").map((word) => [word, meaning as Meaning])),
)
/** Words beside these that change nothing: "Unsubscribed via email", "contactFlaggedAsSpam", "Bounce rule". */
const FILLERS: ReadonlySet<string> = new Set(
  (
    "a account add address addresses all api app as at auto automatic automatically been by category click contact customer " +
    "date domain email error event flag flagged for format from global group has hs in is isp it link known limit list ma mail mailbox mailing mark marketing member " +
    "message of on one page person previous previously prior reached reason received recipient repeat report request rule sender sent status subscriber subscription syntax " +
    "the this time to type user via was webhook"
  ).split(" "),
)
/** Expressions of several words that are one word here. */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/\bopt(?:ed|ing|s)? out\b/g, "optout"],
  [/\bun subscri/g, "unsubscri"],
  [/\bdo not (?:contact|e ?mail|mail|send)\b/g, "donotcontact"],
  [/\bfeedback loop\b/g, "fbl"],
  [/\b(?:black|block|deny) list(?:ed)?\b/g, "blocklist"],
  [/^mailbox full$/, "overquota"],
]
/** More words are a sentence, whose meaning no list of words has. */
const MOST_WORDS = 8
const LONGEST_WORDS = 100
/** The stated kinds first, the most certain of them before the others. */
const ORDER: readonly Meaning[] = ["spam_complaint", "unsubscribe", "soft_bounce", "hard_bounce", "bounce", "manual"]

interface ReasonWord {
  readonly kind: "word"
  readonly reason: SuppressionReason
  /** A bounce or block of an unstated kind. */
  readonly isVague: boolean
  /** The whole text, when it also has a mail server's reply. */
  readonly text: string | null
}

/** What a cell says about the reason of an entry. */
export type ReasonCell =
  /** Says nothing: empty, or a placeholder. */
  | { readonly kind: "empty" }
  /** Words of our own or of a provider. */
  | ReasonWord
  /** A mail server's reply, or a part of it such as its code. */
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "unknown"; readonly text: string }

const PLACEHOLDER = /^(?:[-–—.]*|n\/?a|none|null|nil)$/i
/** A reply code at the start or after a colon, or an RFC 3463 code anywhere. */
const REPLY =
  /^\W{0,3}(?:smtp\W{0,3})?(?:(?:error|code)\W{0,3})?[45]\d\d(?![\w.])|[:;]\s?[45]\d\d(?=[\s-]|$)|(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/i
/** Beside a known word: "Hard bounce (550)". */
const NUMBERS = /\b\d+\b/g
/** A code without words, which precedes the text of its reply. */
const CODES = /^[\d.\s]+$/

/** Reads one cell of a column about the reason. */
export function readReasonCell(cell: string): ReasonCell {
  const text = cell.trim()
  if (PLACEHOLDER.test(text)) return { kind: "empty" }
  const meaning = meaningOf(text)
  if (meaning) return meaning
  const reply = REPLY.exec(text)
  if (reply) {
    // "HardBounce: 550 …" states the kind itself.
    const stated = meaningOf(text.slice(0, reply.index))
    return stated && !stated.isVague ? { ...stated, text } : { kind: "reply", text }
  }
  return meaningOf(text.replace(NUMBERS, " ")) ?? { kind: "unknown", text }
}

/** The meaning of a title such as "hard_bounced_at". Null for "suppressed_at" and "blocked", which give no reason. */
export function reasonOfTitle(title: string): SuppressionReason | null {
  const meaning = meaningOf(title)
  if (!meaning || meaning.reason === "manual") return null
  return meaning.isVague && meaning.reason === "soft_bounce" ? null : meaning.reason
}

function meaningOf(text: string): ReasonWord | null {
  if (text.length > LONGEST_WORDS) return null
  const words = wordsOf(text)
  if (words.length > MOST_WORDS) return null
  const found = new Set<Meaning>()
  for (const word of words) {
    const meaning = MEANING_OF.get(word) ?? MEANING_OF.get(stem(word))
    if (meaning) found.add(meaning)
    else if (!FILLERS.has(word) && !FILLERS.has(stem(word))) return null
  }
  const word = (reason: SuppressionReason, isVague = false) => ({ kind: "word", reason, isVague, text: null }) as const
  // A block by the sender's own administrator is lasting, one by a mail server is not.
  if (found.has("block") && !found.has("hard_bounce") && !found.has("unsubscribe"))
    return found.has("manual") ? word("manual") : word("soft_bounce", !found.has("soft_bounce"))
  const meaning = ORDER.find((one) => found.has(one))
  if (!meaning || meaning === "block") return null
  return meaning === "bounce" ? word("hard_bounce", true) : word(meaning)
}

/** The words in lower case. "HardBounce", "hard_bounce" and "Hard-Bounce" are the same two. */
function wordsOf(text: string): string[] {
  const plain = spaced(text.normalize("NFKD").replace(/\p{M}/gu, ""))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
  const joined = JOINED.reduce((known, [expression, word]) => known.replace(expression, word), plain)
  return joined === "" ? [] : joined.split(" ")
}

/** The text with spaces between its words: "MailboxFull" and "unknown_user" are two each. */
function spaced(text: string): string {
  return text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " ")
}

/** A word without its ending: "bounced", "bounces", "blocked" and "complained". */
function stem(word: string): string {
  const short = word.replace(/(?:ing|ed|es|s|ly)$/, "")
  return MEANING_OF.has(short) || FILLERS.has(short) ? short : `${short}e`
}

/** Reads a row's reason from its cells, the most certain first. A clear word decides, else the server's reply. */
export function readReason(cells: readonly string[]) {
  const read = cells.map(readReasonCell)
  const words = read.flatMap((one) => (one.kind === "word" ? [one] : []))
  const texts = read.flatMap((one) => (one.kind === "empty" || one.text === null ? [] : [one.text]))
  const replies = read.some(({ kind }) => kind === "reply")
  const parts = texts.filter((text, n) => !texts.some((other, m) => m !== n && holds(other, text, m < n)))
  const note = parts.toSorted((a, b) => Number(CODES.test(b)) - Number(CODES.test(a))).join(" ")
  const certain = words.find(({ isVague }) => !isVague)
  const bounce = replies ? permanentBounce(note) : bounceInWords(note)
  const reason = certain?.reason ?? bounce ?? words[0]?.reason ?? null
  // The text that no rule knows, when there is no reason.
  const unknown = reason === null ? (texts[0] ?? null) : null
  return { reason, note: note === "" ? null : note, unknown }
}

/** Whether one text makes the other needless. Of two equal ones the first stays. */
function holds(other: string, text: string, isBefore: boolean): boolean {
  return other.includes(text) && (other !== text || isBefore)
}

/** Classes of replies that say something about a mailbox. Others also match what people write. */
const OF_MAILBOX: ReadonlySet<ReplyClass> = new Set(["mailbox_missing", "mailbox_disabled", "mailbox_full"])

/** The kind of a bounce that a text describes without a code. Null for another text. */
function bounceInWords(text: string): "hard_bounce" | "soft_bounce" | null {
  const reply = `550 ${spaced(text)}`
  const { class: meaning } = classifyReply({ code: 550, enhanced: null, text: reply.slice(0, 2_000), stage: "rcpt" })
  return text !== "" && OF_MAILBOX.has(meaning) ? permanentBounce(reply) : null
}
