import type { Deps } from "../../deps.ts"
import { type RblFinding, rblPenalty, readRbl } from "../../domain/mail/rbl.ts"
import { ASKED_ZONES } from "../../domain/mail/rbl-zones.ts"
import { AppError } from "../../errors.ts"

export interface BlocklistCheck {
  readonly addresses: readonly string[]
  /** Null when no probe node answered, or the host has no IPv4 address. */
  readonly finding: RblFinding | null
  readonly penalty: number
}

const DEADLINE_MS = 5_000
const MAX_ADDRESSES = 8

/** Looks the addresses of a mail host up on the blocklists, through a probe node. @throws AppError unavailable without DNS */
export async function checkBlocklists({ dns, rbl }: Pick<Deps, "dns" | "rbl">, host: string): Promise<BlocklistCheck> {
  const answer = await dns.resolve(host, "A")
  if (answer.kind === "failure") throw new AppError("unavailable", "DNS gave no answer for mx_host; try again")
  const addresses = answer.kind === "records" ? answer.records.slice(0, MAX_ADDRESSES) : []
  if (addresses.length === 0) return { addresses, finding: null, penalty: 0 }
  const said = await rbl.ask({ ips: addresses, zones: [...ASKED_ZONES], deadlineMs: DEADLINE_MS })
  const finding = said && readRbl(said.zones)
  return { addresses, finding, penalty: finding ? rblPenalty(finding) : 0 }
}
