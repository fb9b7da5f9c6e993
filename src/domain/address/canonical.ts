import { MAILBOX_RULES, type MailboxRule } from "./canonical-rules.ts"
import type { ValidAddress } from "./parse.ts"

const RULES: ReadonlyMap<string, MailboxRule> = new Map(
  MAILBOX_RULES.flatMap((rule) => rule.domains.map((domain) => [domain, rule] as const)),
)

/**
 * One spelling for all addresses that certainly reach the same mailbox, lower-cased: for finding duplicates, not for
 * sending. Unknown domains keep dots and tags, since RFC 5321 §2.3.11 leaves the local part to its host; case alone is
 * folded everywhere, as no host in use tells mailboxes apart by it.
 */
export function canonicalMailbox(address: ValidAddress): string {
  const { local, domain } = inOwnDomain(address)
  const rule = RULES.get(domain)
  if (!rule || address.isQuoted) return `${local}@${rule?.domains[0] ?? domain}`
  return `${plainLocal(local, rule)}@${rule.domains[0]}`
}

function inOwnDomain({ local, domain, isQuoted }: ValidAddress): { local: string; domain: string } {
  const folded = local.toLowerCase()
  const dot = domain.indexOf(".")
  const rule = RULES.get(domain.slice(dot + 1))
  return rule?.subdomainIsUser && !isQuoted
    ? { local: domain.slice(0, dot), domain: domain.slice(dot + 1) }
    : { local: folded, domain }
}

/** Never empty: a local part of ignored characters or a tag alone stays as it is. */
function plainLocal(local: string, { tag, ignored, interchangeable }: MailboxRule): string {
  const end = tag ? local.indexOf(tag, 1) : -1
  const mailbox = end < 0 ? local : local.slice(0, end)
  const letters = [...mailbox]
    .filter((letter) => !ignored?.includes(letter))
    .map((letter) => (interchangeable?.includes(letter) ? interchangeable[0] : letter))
    .join("")
  return letters === "" ? local : letters
}
