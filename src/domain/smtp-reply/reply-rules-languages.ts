import { foldAccents } from "./fold-text.ts"
import type { LanguageWords, ReplyRule } from "./reply-rule.ts"
import { ASIAN_LANGUAGES } from "./reply-words-asian.ts"
import { EUROPEAN_LANGUAGES } from "./reply-words-european.ts"

const LANGUAGES: readonly LanguageWords[] = [...ASIAN_LANGUAGES, ...EUROPEAN_LANGUAGES]

/** Full mailboxes, in the languages of reply-words-asian.ts and reply-words-european.ts. */
export const FULL_LANGUAGE_RULES: readonly ReplyRule[] = [
  { id: "full.languages", class: "mailbox_full", pattern: wordsAbout("full"), seen: "552 5.2.2 Hộp thư đã đầy" },
]

/** Refusals of our sender. Any words for a missing mailbox may also describe it. */
export const SENDER_LANGUAGE_RULES: readonly ReplyRule[] = [
  {
    id: "sender.languages",
    reason: "sender",
    digit: 5,
    pattern: wordsAbout("sender"),
    seen: "550 Địa chỉ người gửi không tồn tại",
  },
]

/** Refusals by policy or rate. They precede the rules about the recipient. */
export const REFUSAL_LANGUAGE_RULES: readonly ReplyRule[] = [
  {
    id: "rate.languages",
    reason: "rate",
    digit: 5,
    pattern: wordsAbout("rate"),
    seen: "550 Terlalu banyak penerima yang tidak dikenal",
  },
  {
    id: "policy.languages",
    reason: "policy",
    digit: 5,
    pattern: wordsAbout("policy"),
    seen: "550 5.7.1 Người nhận không hợp lệ theo chính sách",
  },
]

export const DISABLED_LANGUAGE_RULES: readonly ReplyRule[] = LANGUAGES.map((words) => ({
  id: `disabled.${words.language}`,
  class: "mailbox_disabled",
  digit: 5,
  pattern: recipientIs(words, "disabled"),
  seen: words.seen[1],
}))

export const TEMPORARY_LANGUAGE_RULES: readonly ReplyRule[] = [
  {
    id: "passing.server-languages",
    class: "temporary",
    digit: 5,
    pattern: LANGUAGES.map(serverIsMissing).join("|"),
    seen: "550 Server email penerima tidak ditemukan",
  },
  {
    id: "passing.languages",
    class: "temporary",
    digit: 5,
    pattern: wordsAbout("temporary"),
    seen: "550 Hộp thư tạm thời không khả dụng",
  },
]

export const MISSING_LANGUAGE_RULES: readonly ReplyRule[] = LANGUAGES.map((words) => ({
  id: `missing.${words.language}`,
  class: "mailbox_missing",
  digit: 5,
  pattern: recipientIs(words, "missing"),
  seen: words.seen[0],
}))

type Topic = "full" | "sender" | "policy" | "rate" | "temporary"

/** A pattern for the words of all languages on one topic. */
function wordsAbout(topic: Topic): string {
  return LANGUAGES.map((words) => anyOf(words[topic])).join("|")
}

/** A pattern for the recipient and a predicate in one sentence. Without a subject, the recipient is meant. */
function recipientIs(words: LanguageWords, predicate: "missing" | "disabled"): string {
  const who = `(?:\\b(?:{recipient}|e-?mails?)\\b|${anyOf(words.recipient)})`
  const state = anyOf(words[predicate])
  const start = `(?:^|\\brejected;|[a-z]:) ["'(]?`
  const forms = [
    `${who}{gap}${state}`,
    `${state}{near}${who}`,
    `${start}~[ >:)"',-]{1,4}${state}`,
    `${start}${state}[^ .;!?]{0,6}[ .!]*$`,
  ]
  return (predicate === "missing" ? [anyOf(words.noSuch), ...forms] : forms).join("|")
}

/** A pattern for a missing server: before its predicate, or directly after it. */
function serverIsMissing({ server, missing }: LanguageWords): string {
  return `${anyOf(server)}{near}${anyOf(missing)}|${anyOf(missing)} ?(?:ο )?${anyOf(server)}`
}

/** In Latin letters, an expression begins at the start of a word. */
function anyOf(expressions: string): string {
  const folded = foldAccents(expressions)
  return `${/^[ -~]+$/.test(folded) ? "\\b" : ""}(?:${folded})`
}
