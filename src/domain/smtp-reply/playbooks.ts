import type { Playbook } from "../../../schema/wire/probe.ts"
import type { Digests } from "../accounts/crypto.ts"
import { byLongestSuffix, findOperator, OPERATOR_NAMES } from "./operators.ts"

/** How to interpret the replies of an operator's mail hosts. */
export interface HostPolicy {
  /** The operator's own domains here are never catch-all. Other domains that use these hosts may be. */
  readonly neverCatchAll: boolean
  /** Accepts any recipient and refuses later, if at all. An accepted RCPT proves nothing. */
  readonly unverifiable: boolean
}

interface HostRule extends Partial<Omit<Playbook, "operator">>, Partial<HostPolicy> {
  /** Suffix of the MX host. The longest match counts. */
  readonly suffix: string
}

/** RFC 5321 behavior, with few sessions and recipients for an unknown host. */
const GENERIC: Omit<Playbook, "operator"> = {
  pipelining: true,
  starttls: true,
  control: "same-session",
  recipientsPerSession: 20,
  sessionsPerHost: 5,
}

/** Settings for known mail hosts, where they differ from GENERIC. */
const HOST_RULES: readonly HostRule[] = [
  // MX of gmail.com only; unknown mailboxes get 550-5.1.1 at RCPT
  { suffix: "gmail-smtp-in.l.google.com", neverCatchAll: true, recipientsPerSession: 50, sessionsPerHost: 10 },
  // Workspace: at most 100 recipients a session; a domain may route unknown recipients to a catch-all
  { suffix: "google.com", recipientsPerSession: 50, sessionsPerHost: 10 },
  // Consumer Outlook: unknown mailboxes get 550 5.5.0 at RCPT; many RCPT in a row draw 451 4.7.650
  { suffix: "olc.protection.outlook.com", neverCatchAll: true, recipientsPerSession: 5, sessionsPerHost: 2 },
  // Microsoft 365: an unknown RCPT before the real one turns later answers of the session to 5.4.1 or 4.4.62
  { suffix: "mail.protection.outlook.com", control: "separate-session", recipientsPerSession: 10, sessionsPerHost: 5 },
  // Microsoft 365 with DNSSEC and DANE, as mail.protection.outlook.com
  { suffix: "mx.microsoft", control: "separate-session", recipientsPerSession: 10, sessionsPerHost: 5 },
  // Yahoo and AOL take RCPT for unknown mailboxes and answer 554 delivery error after DATA
  { suffix: "yahoodns.net", neverCatchAll: true, unverifiable: true, recipientsPerSession: 5, sessionsPerHost: 2 },
  // iCloud: 550 5.1.1 at RCPT; serves customers' domains too, which may be catch-all
  { suffix: "mail.icloud.com", recipientsPerSession: 5, sessionsPerHost: 3 },
  // Mimecast: greylists unknown senders with 451; counts refused recipients of a session against the sender
  { suffix: "mimecast.com", control: "separate-session", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Proofpoint: rate controls answer 421 or 450 by IP; recipient verification is the customer's choice
  { suffix: "pphosted.com", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Proofpoint Essentials, as pphosted.com
  { suffix: "ppe-hosted.com", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Barracuda: recipient verification is the customer's choice; many refused recipients end the session
  { suffix: "barracudanetworks.com", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Zoho: 550 5.1.1 or 553 relaying disallowed
  { suffix: "zoho.com", recipientsPerSession: 10, sessionsPerHost: 3 },
  // Zoho's European hosts
  { suffix: "zoho.eu", recipientsPerSession: 10, sessionsPerHost: 3 },
  // Fastmail: 550 5.1.1 at RCPT; customers' domains may be catch-all
  { suffix: "messagingengine.com", recipientsPerSession: 10, sessionsPerHost: 3 },
  // GMX: 550 Requested action not taken: mailbox unavailable at RCPT; refuses hosts without PTR at the banner
  { suffix: "gmx.net", neverCatchAll: true, recipientsPerSession: 5, sessionsPerHost: 2 },
  // web.de, run as GMX
  { suffix: "web.de", neverCatchAll: true, recipientsPerSession: 5, sessionsPerHost: 2 },
  // mail.ru: 550 user not found at RCPT; serves customers' domains too
  { suffix: "mail.ru", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Yandex: 550 5.7.1 No such user! at RCPT
  { suffix: "yandex.ru", recipientsPerSession: 5, sessionsPerHost: 2 },
  // Yandex's other hosts
  { suffix: "yandex.net", recipientsPerSession: 5, sessionsPerHost: 2 },
  // QQ: 550 Mailbox not found at RCPT; 550 Connection frequency limited for more than a few connections
  { suffix: "qq.com", pipelining: false, recipientsPerSession: 3, sessionsPerHost: 1 },
  // NetEase: 550 User not found at RCPT; 554 DT:SPM and 421 by IP
  { suffix: "163.com", pipelining: false, recipientsPerSession: 3, sessionsPerHost: 1 },
  // NetEase, as 163.com
  { suffix: "netease.com", pipelining: false, recipientsPerSession: 3, sessionsPerHost: 1 },
]

const BY_SUFFIX: ReadonlyMap<string, HostRule> = new Map(HOST_RULES.map((rule) => [rule.suffix, rule]))

/** The playbook for a domain's MX hosts. Unknown hosts and mixed ones are paced by a host instead of an operator. */
export function playbookFor(hosts: readonly { readonly host: string }[]): Playbook {
  const first = hosts[0]?.host ?? ""
  const { suffix, neverCatchAll, unverifiable, ...settings } = byLongestSuffix(BY_SUFFIX, first) ?? {}
  const name = findOperator(first)?.name
  const isAlone = hosts.every(({ host }) => findOperator(host)?.name === name)
  return { ...GENERIC, ...settings, operator: isAlone && name ? name : hostAsOperator(hosts).slice(-64) }
}

/** The first host that is not also an operator's name ("web.de"). Its replies would count for that operator. */
function hostAsOperator(hosts: readonly { readonly host: string }[]): string {
  return (hosts.find(({ host }) => !OPERATOR_NAMES.has(host)) ?? hosts[0])?.host ?? ""
}

/** Returns how to interpret the replies of a mail host. All false for an unknown host. */
export function policyOf(mxHost: string | undefined): HostPolicy {
  const rule = byLongestSuffix(BY_SUFFIX, mxHost ?? "")
  return { neverCatchAll: rule?.neverCatchAll ?? false, unverifiable: rule?.unverifiable ?? false }
}

/** Whether a catch-all probe would show nothing at any host. @param isFree the domain is a mailbox provider's own */
export function needsNoRandomRecipient(hosts: readonly { readonly host: string }[], isFree: boolean): boolean {
  return hosts.every(({ host }) => {
    const { neverCatchAll, unverifiable } = policyOf(host)
    return unverifiable || (neverCatchAll && isFree)
  })
}

/** The local part of a random recipient, which a reply may quote without its domain. */
export const RANDOM_RECIPIENT_LOCAL = /\bq[a-z0-9]{15}\b/gi

/** The random recipient of a domain. It is the same each time, because greylisting remembers the recipient. */
export async function randomRecipientOf(digests: Digests, domain: string): Promise<string> {
  return `q${(await digests.of("sibling", domain)).slice(0, 15)}@${domain}`
}
