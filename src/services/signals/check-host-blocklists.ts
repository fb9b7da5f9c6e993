import ipaddr from "ipaddr.js"
import type { Context } from "../../context.ts"
import { DEFAULT_ZONES, type RblFinding, rblPenalty, readRbl } from "../../domain/reference/rbl.ts"
import { AppError } from "../../errors.ts"

export interface BlocklistCheck {
  readonly addresses: readonly string[]
  /** Null when no probe node answered, or the host has no IPv4 address. */
  readonly finding: RblFinding | null
  readonly penalty: number
}

const DEADLINE_MS = 5_000
const MAX_ADDRESSES = 8

/**
 * Checks a mail host's addresses, or one IPv4 address, on blocklists, through a probe node.
 * @throws AppError unavailable without DNS
 */
export async function checkHostBlocklists(
  { dns, rbl }: Pick<Context, "dns" | "rbl">,
  host: string,
): Promise<BlocklistCheck> {
  const addresses = ipaddr.IPv4.isValidFourPartDecimal(host) ? [host] : await resolve(dns, host)
  if (addresses.length === 0) return { addresses, finding: null, penalty: 0 }
  const said = await rbl.query({ ips: addresses, zones: [...DEFAULT_ZONES], deadlineMs: DEADLINE_MS })
  const finding = said && readRbl(said.zones)
  return { addresses, finding, penalty: finding ? rblPenalty(finding) : 0 }
}

async function resolve(dns: Context["dns"], host: string): Promise<string[]> {
  const answer = await dns.resolve(host, "A")
  if (answer.kind === "failure") throw new AppError("unavailable", "DNS gave no answer for mx_host; try again")
  return answer.kind === "records" ? answer.records.slice(0, MAX_ADDRESSES) : []
}
