import type { MailRoute } from "../verdict/evidence.ts"
import { OPERATORS, type OperatorKind } from "./operators-table.ts"

export interface MailOperator {
  readonly name: string
  readonly kind: OperatorKind
}

const BY_SUFFIX: ReadonlyMap<string, MailOperator> = new Map(
  OPERATORS.map(([suffix, name, kind]) => [suffix, { name, kind }]),
)

/** Operators that have a name; any other is told by the name of its mail host, of which whoever owns a domain has many. */
export const OPERATOR_NAMES: ReadonlySet<string> = new Set(OPERATORS.map(([, name]) => name))

/** A name made of an address, "ec2-203-0-113-5.compute-1.amazonaws.com": a machine that a customer of the network runs. */
const NAMED_BY_ADDRESS = /(?<!\d)\d{1,3}([.-])\d{1,3}\1\d{1,3}\1\d{1,3}(?!\d)/

/** Names that OVH and Sakura give to the machines they rent out. */
const RENTED = /^(?:[^.]+\.vps|(?:vps|ns)\d{5,})\.ovh\.(?:net|ca)$|\.vs\.sakura\.ne\.jp$/

/** The operator of an MX host by the longest known end of its name; null for one we do not know. */
export function findOperator(mxHost: string | undefined): MailOperator | null {
  if (NAMED_BY_ADDRESS.test(mxHost ?? "") || RENTED.test(mxHost ?? "")) return null
  for (let rest = mxHost ?? ""; rest !== ""; rest = rest.slice(rest.indexOf(".") + 1)) {
    const operator = BY_SUFFIX.get(rest)
    if (operator) return operator
    if (!rest.includes(".")) return null
  }
  return null
}

/** The name of the operator of an MX host; "other" for one we do not know, "none" for no host. */
export function operatorOf(mxHost: string | undefined): string {
  return mxHost ? (findOperator(mxHost)?.name ?? "other") : "none"
}

/** Host names a domain's mail goes to, by preference; none when it takes no mail. */
export function mailHostsOf(route: MailRoute | undefined): string[] {
  return route?.kind === "mx" || route?.kind === "implicit_mx" ? route.hosts.map(({ host }) => host) : []
}
