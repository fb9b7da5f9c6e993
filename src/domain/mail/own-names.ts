/** The names we gave a mail server; the shape of the wire's SessionReport. */
export interface OwnNames {
  readonly heloName: string
  readonly envelopeSender: string
}

const ADDRESS = /[^\s<>()[\]"',;:]{1,128}@[^\s<>()[\]"',;:]{1,255}/g
const NAME = /(?<![a-z0-9_.@-])[a-z0-9_][a-z0-9_.-]{0,253}(?![a-z0-9_.@-])/g
const MARKED = /<(\[(?:helo|domain|sender)\])>/g
const MARK = /\[(?:helo|domain|sender)\]/g

/**
 * Writes "[helo]", "[domain]" and "[sender]" for our HELO name, our sender's domain and our sender, so that rules can
 * tell them from the recipient's. Takes and returns lower case; null when the text names none of them.
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

/** The text as it is read without our names. */
export function hideMarks(text: string): string {
  return text.replace(MARK, "~")
}

function isSame(written: string, name: string): boolean {
  return bare(written) === name
}

/** Without the full stop of a sentence, or of a fully qualified name. */
function bare(name: string): string {
  return name.replace(/[.-]+$/, "")
}

/** A name of one label could be any word. */
function isHost(name: string): boolean {
  return /[a-z0-9]\.[a-z0-9]/.test(name)
}
