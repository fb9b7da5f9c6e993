import { words } from "../reference/tables.ts"
import type { MailRoute } from "../verification/evidence.ts"
import { OPERATORS, type OperatorKind } from "./operators-table.ts"

export interface MailOperator {
  readonly name: string
  readonly kind: OperatorKind
}

const BY_SUFFIX: ReadonlyMap<string, MailOperator> = new Map(
  OPERATORS.map(([suffix, name, kind]) => [suffix, { name, kind }]),
)

/** Names of the known operators. An unknown operator is identified by its host name, and a domain owner can create many. */
export const OPERATOR_NAMES: ReadonlySet<string> = new Set(OPERATORS.map(([, name]) => name))

/** A host name that contains an IP address ("ec2-203-0-113-5.compute-1.amazonaws.com"). A customer runs that machine. */
const NAMED_BY_ADDRESS = /(?<!\d)\d{1,3}([.-])\d{1,3}\1\d{1,3}\1\d{1,3}(?!\d)/

/** Host names of the machines that OVH and Sakura rent out. */
const RENTED = /^(?:[^.]+\.vps|(?:vps|ns)\d{5,})\.ovh\.(?:net|ca)$|\.vs\.sakura\.ne\.jp$/

/** Returns the operator of an MX host by the longest known suffix of its name. Null for an unknown operator. */
export function findOperator(mxHost: string | undefined): MailOperator | null {
  if (mxHost === undefined || NAMED_BY_ADDRESS.test(mxHost) || RENTED.test(mxHost)) return null
  return byLongestSuffix(BY_SUFFIX, mxHost)
}

/** The value of a host name's longest suffix in a table. */
export function byLongestSuffix<T>(table: ReadonlyMap<string, T>, host: string): T | null {
  for (let rest = host; ; rest = rest.slice(rest.indexOf(".") + 1)) {
    const value = table.get(rest)
    if (value !== undefined) return value
    if (!rest.includes(".")) return null
  }
}

/** Operators whose customers pay for each mailbox, so that no disposable service can collect a domain's mail there. */
const BUSINESS_OPERATORS: ReadonlySet<string> = words(`
  google microsoft365 zoho rackspace intermedia
  mimecast proofpoint barracuda cisco symantec trendmicro fireeye fortinet sophos forcepoint hornetsecurity vade
  mailinblack retarus nospamproxy zix mailguard libraesva mailroute
`)

/** Whether all mail hosts belong to business mail operators. A backup host elsewhere receives mail, too, so it counts. */
export function isBusinessMail(mxHosts: readonly string[]): boolean {
  return mxHosts.length > 0 && mxHosts.every((host) => BUSINESS_OPERATORS.has(operatorOf(host.toLowerCase())))
}

/** Returns the operator's name for an MX host, "other" for an unknown operator, "none" without a host. */
export function operatorOf(mxHost: string | undefined): string {
  return mxHost ? (findOperator(mxHost)?.name ?? "other") : "none"
}

/** Returns the mail hosts of a domain by preference. Empty when the domain accepts no mail. */
export function mailHostsOf(route: MailRoute | undefined): string[] {
  return route?.kind === "mx" || route?.kind === "implicit_mx" ? route.hosts.map(({ host }) => host) : []
}
