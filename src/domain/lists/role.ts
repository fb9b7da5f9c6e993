import { ROLE_AFFIXES, ROLE_ALONE, ROLE_QUALIFIERS, ROLE_WORDS } from "./role-data.ts"

/** A shorter word without a separator is often the start of a name: "hr" in "hristo". */
const MIN_COMPOUND = 4
const SEPARATORS = /[._\-\s]+/

/** No-reply addresses, in any combination: "calendar-noreply", "no-reply-forms". */
const NO_REPLY = /(^|[._-])(no[._-]?reply|do[._-]?not[._-]?reply)([._-]|$)/

const LETTERS: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", ı: "i", đ: "d", ё: "е" }

/**
 * Whether a mailbox is named after a function. Its name without separators is a role word, or each part is a role word
 * or a qualifier. Any other part indicates a person: "sales.miller", "supportman".
 * @param mailbox the local part without its tag
 */
export function isRoleMailbox(mailbox: string): boolean {
  const folded = fold(mailbox)
  if (NO_REPLY.test(folded)) return true
  const parts = folded.split(SEPARATORS).filter((part) => part !== "")
  if (parts.length === 1) return ROLE_ALONE.has(parts[0]!) || isRoleWord(parts[0]!)
  // A single letter is an initial: "j.obs" is not a jobs mailbox.
  if (parts.every((part) => part.length > 1) && isRoleWord(parts.join(""))) return true
  return parts.every(isPart) && parts.some(isRoleWord)
}

function isPart(part: string): boolean {
  return ROLE_QUALIFIERS.has(part) || /^\d{1,4}$/.test(part) || isRoleWord(part)
}

/** Whether the text is a role word, also with a number ("info2"), an affix ("salesteam") or another role word. */
function isRoleWord(text: string): boolean {
  const word = text.replace(/(?<=\D)\d{1,2}$/, "")
  if (ROLE_WORDS.has(word)) return true
  for (let at = MIN_COMPOUND; at < word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    if (ROLE_WORDS.has(head) && (ROLE_AFFIXES.has(tail) || isLongRole(tail))) return true
  }
  return false
}

function isLongRole(text: string): boolean {
  return text.length >= MIN_COMPOUND && ROLE_WORDS.has(text)
}

/** Converts to lower case without diacritics, so that "contabilità", "Büro" and "księgowość" match the tables. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[ßłøæœıđё]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFD")
    .replace(/\p{Script=Latin}\p{M}+/gu, ([base = ""]) => base)
    .replace(/\p{Script=Greek}\p{M}+/gu, ([base = ""]) => base)
    .normalize("NFC")
}
