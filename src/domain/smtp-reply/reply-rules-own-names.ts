import type { ReplyRule } from "./reply-rule.ts"

/** Brackets and quotes that may surround a mark such as "[helo]". */
const END = "[\\])>}'\"]{0,3}"
const START = "[[(<'\"]{0,3}"
const DOMAIN = "(?:domain|host ?name|host|mail ?server|server|name)(?: name)?"
const NEGATED =
  "(?:not found|not known|unknown|non-?exist\\w*|not exist\\w*|(?:does(?: not|n't)|dosn't) (?:exist|resolve|have (?:an? |any )?(?:valid )?(?:mx|dns|a|ns)\\b)|" +
  "invalid|unresolvable|unrout?e?able|not resolv\\w*|not (?:be )?(?:an? )?(?:registered|recogni[sz]ed|valid|found|resolved|located)|" +
  "(?:cannot|can't|could not|couldn't) be (?:found|resolved|located)|has no (?:valid )?(?:mx|dns|a|ns)\\b|no such|nxdomain)"
/** Words that also describe a former mailbox, or a missing mailbox. */
const GONE = "(?:{shut}|undeliverable|not (?:deliverable|listed|one of our))"
const NEGATIVE =
  "(?:no such|unknown|invalid|non-?exist\\w*|unresolvable|unrout?e?able|undeliverable|bad|bogus|unrecogni[sz]ed|unregistered)"
const CANNOT_FIND = "(?:cannot|can't|can not|could not|couldn't|unable to|failed to) (?:find|resolve|locate|look ?up)"

/** Matches texts that report the marked host or domain as missing. */
function missingHost(mark: string): string {
  const name = `\\[${mark}\\]${END}`
  return (
    `${name}[ :;,.=-]{0,3}(?:[[(]{0,2}~[\\])]{0,2}[ :;,.-]{0,3})?(?:${DOMAIN} )?(?:is |was |has (?:been )?)?(?:an? )?(?:${NEGATED}|${GONE})(?! (?:e-?mail |local |virtual )?{recipient})|` +
    `\\b${NEGATIVE} (?:mail |sender |the |your )?${DOMAIN}[ :=]{0,3}${START}${name}|` +
    `\\b${CANNOT_FIND} (?:the |your |a )?(?:${DOMAIN}[ :=]{0,3})?${START}${name}|` +
    `\\b${DOMAIN} (?:is |was )?(?:not found|unknown|does(?: not|n't) exist)[ :;,.=-]{0,3}${START}${name}|` +
    `\\b(?:(?:no|invalid|illegal) (?:mx|dns|a|aaaa|ns)\\b[\\w ]{0,30}|name service error|lookup (?:failed|failure|error)) (?:for|of)[ :]{0,2}(?:${DOMAIN}[ :=]{0,3})?${START}${name}`
  )
}

/** Matches texts that report the marked sender as missing. Another name after it is the subject instead. */
function missingSender(): string {
  const name = `\\[sender\\]${END}`
  return (
    `${name}[ :;,.=-]{0,3}(?:{recipient} )?(?:is |was |has (?:been )?)?(?:an? )?(?:${NEGATED}|${GONE}|blocked)(?!(?: {recipient})?[ :=-]{0,3}${START}~)|` +
    `\\b${NEGATIVE} (?:e-?mail )?(?:{recipient}|sender)[ :=-]{0,3}${START}${name}|` +
    `\\b${CANNOT_FIND} (?:the |your |a )?(?:{recipient} )?${START}${name}`
  )
}

/** Rules that apply first, and only to replies that contain an own name. */
export const OWN_NAME_RULES: readonly ReplyRule[] = [
  {
    id: "own.helo",
    reason: "helo",
    pattern: missingHost("helo"),
    seen: "550 Host mta1.probe.example.net not found",
  },
  {
    id: "own.domain",
    reason: "sender",
    pattern: missingHost("domain"),
    seen: "550 5.1.2 unknown domain probe.example.net",
  },
  {
    id: "own.sender",
    reason: "sender",
    pattern: missingSender(),
    seen: "550 5.1.1 <check@probe.example.net>: User unknown",
  },
]

/** The names that the probe sends to a mail server. Has the shape of the wire's SessionReport. */
export interface OwnNames {
  readonly heloName: string
  readonly envelopeSender: string
}

const ADDRESS = /[^\s<>()[\]"',;:]{1,128}@[^\s<>()[\]"',;:]{1,255}/g
const NAME = /(?<![a-z0-9_.@-])[a-z0-9_][a-z0-9_.-]{0,253}(?![a-z0-9_.@-])/g
const MARKED = /<(\[(?:helo|domain|sender)\])>/g
const MARK = /\[(?:helo|domain|sender)\]/g

/** Replaces our HELO name, sender domain and sender by "[helo]", "[domain]" and "[sender]". Null without any. */
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
