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
 * Returns the same lower-case spelling for all addresses that certainly have the same mailbox. For duplicate detection,
 * not for sending. Dots and tags stay at unknown domains, whose hosts define the local part (RFC 5321 §2.3.11).
 * Letter case is folded at every domain. Quoted local parts follow no rule.
 */
export function canonicalMailbox({ local, domain, isQuoted }: ValidAddress): string {
  const typed = { local: lowerLocal(local), domain }
  const mailbox = isQuoted ? typed : ofNameSubdomain(typed)
  const rule = RULES.get(mailbox.domain)
  if (!rule) return `${mailbox.local}@${mailbox.domain}`
  const name = isQuoted ? mailbox.local : nameOf(mailbox.local, rule)
  return `${name}@${rule.canonicalDomain ?? mailbox.domain}`
}

/** Applies `hasNameSubdomains`, except to a name with a hyphen. The hyphen may replace an underscore. */
function ofNameSubdomain(typed: Mailbox): Mailbox {
  const dot = typed.domain.indexOf(".")
  const name = typed.domain.slice(0, dot)
  const parent = typed.domain.slice(dot + 1)
  const isCertain = RULES.get(parent)?.hasNameSubdomains && !name.includes("-")
  return isCertain ? { local: name, domain: parent } : typed
}

/** Applies the rule to a local part. The result is well-formed: a name that would become invalid stays unchanged. */
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
