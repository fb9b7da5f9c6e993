import { COMMON_NAMES } from "./names-data.ts"

/** How much a local part looks like one that a person or an office uses. */
export interface Realism {
  /** 0: made up by a machine; 1: a person's name in a usual form. */
  readonly score: number
  readonly why: "name" | "initial_and_name" | "word" | "digits" | "unreadable" | "random"
}

const VOWELS = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ]/i
/** More consonants in a row than names have, even "Schmidtschneider"; y counts as a vowel. */
const CONSONANT_RUN = /[bcdfghjklmnpqrstvwxz]{7,}/i
const MAX_READABLE = 32

/** Judges a local part by its shape and letters alone. Scripts other than Latin are left alone: a word, no more. */
export function nameRealism(local: string): Realism {
  const mailbox = local.split("+")[0]!.toLowerCase()
  const parts = mailbox.split(/[._-]+/).filter((part) => part !== "")
  const letters = [...mailbox].filter((character) => /\p{L}/u.test(character)).length
  const digits = [...mailbox].filter((character) => /\d/.test(character)).length
  if (letters === 0) return { score: 0.2, why: "digits" }
  if (mailbox.length > MAX_READABLE || isRandom(mailbox, { letters, digits })) return { score: 0.05, why: "random" }
  if (!/^[\p{Script=Latin}\d._'-]+$/u.test(mailbox)) return { score: 0.5, why: "word" }
  if (parts.some((part) => !isReadable(part))) return { score: 0.2, why: "unreadable" }
  const penalty = Math.min(0.3, digits * 0.07)
  return shapeOf(parts, penalty)
}

function shapeOf(parts: readonly string[], penalty: number): Realism {
  const words = parts.map((part) => part.replace(/\d+$/, ""))
  const isKnown = words.some((word) => COMMON_NAMES.has(word))
  if (words.length === 2 && words.every((word) => word.length >= 2))
    return { score: (isKnown ? 0.95 : 0.8) - penalty, why: "name" }
  if (words.length === 2 && words.some((word) => word.length >= 3))
    return { score: 0.8 - penalty, why: "initial_and_name" }
  if (words.length === 1 && isKnown) return { score: 0.8 - penalty, why: "name" }
  if (words.length === 1 && COMMON_NAMES.has(words[0]!.slice(1)))
    return { score: 0.75 - penalty, why: "initial_and_name" }
  return { score: (words.length > 3 ? 0.35 : 0.5) - penalty, why: "word" }
}

/** Digits mixed in between letters, a long hexadecimal number, or many digits: what a generator writes. */
function isRandom(mailbox: string, { letters, digits }: { letters: number; digits: number }): boolean {
  if (mailbox.length >= 12 && /^[0-9a-f-]+$/.test(mailbox) && digits > 2) return true
  const switches = (mailbox.match(/\p{L}\d|\d\p{L}/gu) ?? []).length
  if (switches >= 3) return true
  return mailbox.length >= 8 && digits >= letters
}

function isReadable(part: string): boolean {
  if (part.length <= 3) return true
  return VOWELS.test(part) && !CONSONANT_RUN.test(part)
}
