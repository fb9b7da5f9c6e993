import { parseAddress } from "../address/parse.ts"
import { classifyByHosts } from "../lists/classify-by-hosts.ts"
import { mailHostsOf } from "../smtp-reply/operators.ts"
import type { MailRoute } from "../verdict/evidence.ts"

/** Why a domain has no address formats: it accepts no mail, or its mailboxes belong to people of no one company. */
export const NO_FORMATS_REASONS = [
  "free_provider",
  "disposable",
  "relay",
  "no_such_domain",
  "null_mx",
  "no_mail_host",
] as const
export type NoFormatsReason = (typeof NO_FORMATS_REASONS)[number]

type ListedReason = Extract<NoFormatsReason, "free_provider" | "disposable" | "relay">

/**
 * Returns why the mailboxes of a domain do not belong to one company, by the lists and the mail route. Null for a
 * company. @param route missing: by the lists alone
 */
export function providerKind(domain: string, route?: MailRoute): ListedReason | null {
  const { isFree, isDisposable, isRelay } = classifyByHosts(parseAddress(`a@${domain}`), mailHostsOf(route))
  if (isDisposable) return "disposable"
  if (isRelay) return "relay"
  return isFree ? "free_provider" : null
}

/** Returns why a domain accepts no mail. Null when it does, or when DNS gave no answer. */
export function refusesMail({ kind }: MailRoute): NoFormatsReason | null {
  return kind === "no_such_domain" || kind === "null_mx" || kind === "no_mail_host" ? kind : null
}
