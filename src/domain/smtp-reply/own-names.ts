/** The names that the probe sends to a mail server. Has the shape of the wire's SessionReport. */
export interface OwnNames {
  readonly heloName: string
  readonly envelopeSender: string
}

const ADDRESS = /[^\s<>()[\]"',;:]{1,128}@[^\s<>()[\]"',;:]{1,255}/g
const NAME = /(?<![a-z0-9_.@-])[a-z0-9_][a-z0-9_.-]{0,253}(?![a-z0-9_.@-])/g
const MARKED = /<(\[(?:helo|domain|sender)\])>/g
const MARK = /\[(?:helo|domain|sender)\]/g

/**
 * Replaces our HELO name, sender domain and sender by "[helo]", "[domain]" and "[sender]".
 * Rules can then distinguish them from the recipient's names. Null when the text contains none of them.
 * @param words in lower case, as is the result
 */
export function markOwnNames(words: string, { heloName, envelopeSender }: OwnNames): string | null {
  const helo = heloName.toLowerCase()
  const sender = envelopeSender.toLowerCase()
  const domain = sender.slice(sender.lastIndexOf("@") + 1)
  const marks = new Map([helo, domain].filter(isHost).map((name) => [name, name === helo ? "[helo]" : "[domain]"]))
  if (![...marks.keys()].some((name) => words.includes(name))) return null
  const marked = words
    .replace(ADDRESS, (address) => (isSame(address, sender) ? "[sender]" : address))
    .replace(NAME, (name) => marks.get(bare(name)) ?? name)
    .replace(MARKED, "$1")
  return marked === words ? null : marked
}

/** Replaces the marks by "~", the form that other names have. */
export function hideOwnNameMarks(text: string): string {
  return text.replace(MARK, "~")
}

function isSame(written: string, name: string): boolean {
  return bare(written) === name
}

/** Removes the period of a sentence, or of a fully qualified name. */
function bare(name: string): string {
  return name.replace(/(?<![.-])[.-]+$/, "")
}

/** A name with a single label could be any word. */
function isHost(name: string): boolean {
  return /[a-z0-9]\.[a-z0-9]/.test(name)
}
