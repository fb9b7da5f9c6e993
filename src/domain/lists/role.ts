import { ROLE_AFFIXES, ROLE_ALONE, ROLE_QUALIFIERS, ROLE_WORDS } from "./role-data.ts"

/** Below this a glued word is too likely the start of a name: "hr" in "hristo". */
const SHORTEST_GLUED = 4
const SEPARATORS = /[._\-\s]+/

/** Answers to nobody whatever stands beside it: "calendar-noreply", "no-reply-forms". */
const NO_REPLY = /(^|[._-])(no[._-]?reply|do[._-]?not[._-]?reply)([._-]|$)/

const LETTERS: Readonly<Record<string, string>> = { ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", ı: "i", đ: "d", ё: "е" }

/**
 * A mailbox named after a function, not a person. The whole name is a role word (separators ignored), or each of its
 * parts is a role word or a qualifier of one. A part that is neither makes it a person: "sales.miller", "supportman".
 * @param mailbox the local part without its tag
 */
export function isRoleMailbox(mailbox: string): boolean {
  const folded = fold(mailbox)
  if (NO_REPLY.test(folded)) return true
  const parts = folded.split(SEPARATORS).filter((part) => part !== "")
  if (parts.length === 1) return ROLE_ALONE.has(parts[0]!) || isRoleWord(parts[0]!)
  // A single letter is an initial: "j.obs" is nobody's jobs mailbox.
  if (parts.every((part) => part.length > 1) && isRoleWord(parts.join(""))) return true
  return parts.every(isPart) && parts.some(isRoleWord)
}

function isPart(part: string): boolean {
  return ROLE_QUALIFIERS.has(part) || /^\d{1,4}$/.test(part) || isRoleWord(part)
}

/** A role word, also numbered ("info2") or with an affix or another role word glued on ("salesteam", "websupport"). */
function isRoleWord(text: string): boolean {
  const word = text.replace(/(?<=\D)\d{1,2}$/, "")
  if (ROLE_WORDS.has(word)) return true
  for (let at = SHORTEST_GLUED; at < word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    if (ROLE_WORDS.has(head) && (ROLE_AFFIXES.has(tail) || isLongRole(tail))) return true
  }
  return false
}

function isLongRole(text: string): boolean {
  return text.length >= SHORTEST_GLUED && ROLE_WORDS.has(text)
}

/** Lower case without diacritics, so that "contabilità", "Büro" and "księgowość" meet their plain spelling. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[ßłøæœıđё]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFD")
    .replace(/\p{Script=Latin}\p{M}+/gu, ([base = ""]) => base)
    .replace(/\p{Script=Greek}\p{M}+/gu, ([base = ""]) => base)
    .normalize("NFC")
}
