/** A blocklist of IPv4 addresses and the meaning of its answers. */
export interface RblZone {
  readonly zone: string
  /** Last octets of the documented answers 127.0.0.x that mean "listed". */
  readonly listed: readonly number[]
  /** Documented answers with another meaning. They count as an answer, but not as a listing. */
  readonly other?: readonly number[]
  /** Points that a listing costs, 1 to 30. */
  readonly points: number
  /** Queried only where a node's operator has an account with the list and names it in PROBE_RBL_ZONES. */
  readonly needsAccount?: true
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Results as each list documents them. Other results count as no answer: 127.255.255.x and 127.0.0.1 are refusals. */
export const RBL_ZONES: readonly RblZone[] = [
  // .2 SBL, .3 CSS, .4-.7 XBL, .9 DROP. .10 and .11 PBL: addresses that should not send directly. An MX only receives.
  { zone: "zen.spamhaus.org", listed: [2, 3, 4, 5, 6, 7, 9], other: [10, 11], points: 15 },
  { zone: "bl.spamcop.net", listed: [2], points: 10 },
  { zone: "b.barracudacentral.org", listed: [2], points: 10 },
  { zone: "psbl.surriel.com", listed: [2], points: 8 },
  // .2 from the zero-hour list, .10-.12 from the reputation list, worst first.
  { zone: "bl.mailspike.net", listed: [2, 10, 11, 12], points: 8 },
  { zone: "dnsbl-1.uceprotect.net", listed: [2], points: 5 },
  { zone: "dnsbl.dronebl.org", listed: [...range(3, 19), 255], other: [2], points: 6 },
  { zone: "bl.blocklist.de", listed: range(2, 21), points: 5 },
  { zone: "all.s5h.net", listed: [2], points: 4 },
  { zone: "truncate.gbudb.net", listed: [2], points: 5 },
  { zone: "rbl.interserver.net", listed: [2], points: 4 },
  { zone: "ubl.unsubscore.com", listed: [2], points: 5 },
  { zone: "dnsbl.zapbl.net", listed: [2], points: 4 },
  { zone: "bl.nordspam.com", listed: [2], points: 4 },
  // .2 spam traps, .3 composite, .4 exploited hosts; .11 and .12 policy.
  { zone: "combined.mail.abusix.zone", listed: [2, 3, 4], other: [11, 12], points: 10, needsAccount: true },
]

/** The reading for a list outside the table. RFC 5782 §2.1 lets each list define 127.0.0.2 and above. */
export const UNKNOWN_ZONE: Omit<RblZone, "zone"> = { listed: range(2, 254), points: 5 }

/** Lists that are queried by default. */
export const DEFAULT_ZONES: readonly string[] = RBL_ZONES.filter((zone) => !zone.needsAccount).map(({ zone }) => zone)
