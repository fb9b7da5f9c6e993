import { lowerLocal } from "./cache-key.ts"
import { MAILBOX_RULES, type MailboxRule } from "./canonical-rules.ts"
import type { ValidAddress } from "./parse.ts"

const RULES: ReadonlyMap<string, MailboxRule> = new Map(
  MAILBOX_RULES.flatMap((rule) => rule.domains.map((domain) => [domain, rule] as const)),
)

interface Mailbox {
  readonly local: string
  readonly domain: string
}

/**
 * One spelling for all addresses that certainly reach the same mailbox, lower-cased: to find duplicates by, not to send
 * to. Unknown domains keep dots and tags, since the local part is its host's own affair (RFC 5321 §2.3.11); only case
 * is folded everywhere, as no host in use tells mailboxes apart by it. Quoted names follow no rule.
 */
export function canonicalMailbox({ local, domain, isQuoted }: ValidAddress): string {
  const typed = { local: lowerLocal(local), domain }
  const mailbox = isQuoted ? typed : ofNameSubdomain(typed)
  const rule = RULES.get(mailbox.domain)
  if (!rule) return `${mailbox.local}@${mailbox.domain}`
  const name = isQuoted ? mailbox.local : nameOf(mailbox.local, rule)
  return `${name}@${rule.canonicalDomain ?? mailbox.domain}`
}

/** A hyphen may stand for an underscore that a domain cannot hold, so a name with one is not certain. */
function ofNameSubdomain(typed: Mailbox): Mailbox {
  const dot = typed.domain.indexOf(".")
  const name = typed.domain.slice(0, dot)
  const parent = typed.domain.slice(dot + 1)
  const isCertain = RULES.get(parent)?.hasNameSubdomains && !name.includes("-")
  return isCertain ? { local: name, domain: parent } : typed
}

/** Always well-formed: a name of which nothing, or a dot at the end, would remain stays as it is. */
function nameOf(local: string, { tag, keyword, ignored = "", interchangeable = "" }: MailboxRule): string {
  const hyphen = keyword ? local.indexOf(keyword, 1) : -1
  if (hyphen > 0) return local.slice(0, hyphen + 1)
  const plus = tag ? local.indexOf(tag, 1) : -1
  const untagged = plus < 0 ? local : local.slice(0, plus)
  const name = [...untagged]
    .filter((letter) => !ignored.includes(letter))
    .map((letter) => (interchangeable.includes(letter) ? interchangeable[0] : letter))
    .join("")
  return name === "" || name.endsWith(".") ? local : name
}
