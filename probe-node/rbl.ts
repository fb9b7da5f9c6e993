import { Resolver as DnsResolver } from "node:dns/promises"
import type { RblAnswer, RblRequest } from "../schema/wire/rbl.ts"
import { type AddressPolicy, dialPort } from "./addresses.ts"

/** A blocklist's name in reports, and the DNS zone to query. A paid feed's zone contains the account's key. */
export interface RblZoneSetting {
  readonly name: string
  readonly zone: string
}

type Records = string[] | null

const LISTED_TEST_POINT = "127.0.0.2"
const CLEAN_TEST_POINT = "127.0.0.1"
const TEST_POINT_MS = 24 * 3_600_000
const ANSWER_MS = 3_600_000
const FAILURE_MS = 60_000
const MAX_ENTRIES = 50_000
const MAX_RECORDS = 16
/** NXDOMAIN and NODATA: the list answered and does not contain the address. */
const NOT_LISTED = ["ENOTFOUND", "ENODATA"]

/** The blocklists that a node queries. Answers are cached. */
export function createRblLookups({
  dns,
  zones,
  policy,
  now,
}: {
  /** "host:port" of the node's own resolver. Null: the system's resolver. */
  readonly dns: string | null
  /** Lists to query instead of those in a request. Empty: those in the request. */
  readonly zones: readonly RblZoneSetting[]
  readonly policy: AddressPolicy
  readonly now: () => number
}) {
  const resolver = new DnsResolver({ timeout: 1_500, tries: 2 })
  if (dns) resolver.setServers([dns])
  const cache = new Map<string, { readonly records: Records; readonly expiresAt: number }>()

  async function lookUp(zone: string, ip: string, ttlMs: number): Promise<Records> {
    const name = `${ip.split(".").reverse().join(".")}.${zone}`
    const known = cache.get(name)
    if (known && known.expiresAt > now()) return known.records
    const records = await resolve(resolver, name)
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    cache.set(name, { records, expiresAt: now() + (records ? ttlMs : FAILURE_MS) })
    return records
  }

  return {
    /** Looks addresses up in all lists in parallel. A look-up without an answer by the deadline is reported as failed. */
    async lookUpAll({ requestId, deadlineMs, ips, zones: requestedZones }: RblRequest): Promise<RblAnswer> {
      const deadline = Promise.withResolvers<null>()
      const timer = setTimeout(() => deadline.resolve(null), deadlineMs)
      const inTime = (work: Promise<Records>) => Promise.race([work, deadline.promise])
      const lists = zones.length > 0 ? zones : requestedZones.map((zone) => ({ name: zone, zone }))
      // Lists contain no private addresses, and queries would leak them.
      const known = ips.filter((ip) => dialPort(ip, policy) !== null)
      const answers = lists.map(async ({ name, zone }) => {
        const [listedTestPoint, cleanTestPoint, answers] = await Promise.all([
          inTime(lookUp(zone, LISTED_TEST_POINT, TEST_POINT_MS)),
          inTime(lookUp(zone, CLEAN_TEST_POINT, TEST_POINT_MS)),
          Promise.all(known.map(async (ip) => ({ ip, records: await inTime(lookUp(zone, ip, ANSWER_MS)) }))),
        ])
        return { zone: name, listedTestPoint, cleanTestPoint, answers }
      })
      const answered = await Promise.all(answers)
      clearTimeout(timer)
      return { requestId, zones: answered }
    },
  }
}

export type RblLookups = ReturnType<typeof createRblLookups>

/** @param words such as "bl.example.org" or "zen.spamhaus.org=KEY.zen.dq.spamhaus.net" @returns null if invalid */
export function parseRblZones(words: readonly string[]): RblZoneSetting[] | null {
  const isZone = (text: string) => /^(?=.{1,200}$)[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(text)
  const zones = words.map((word) => {
    const [name = "", zone = name, ...more] = word.toLowerCase().split("=")
    return more.length === 0 && isZone(name) && isZone(zone) ? { name, zone } : null
  })
  return zones.every((zone) => zone !== null) ? zones : null
}

async function resolve(resolver: DnsResolver, name: string): Promise<Records> {
  try {
    return (await resolver.resolve4(name)).slice(0, MAX_RECORDS)
  } catch (error) {
    return NOT_LISTED.includes((error as NodeJS.ErrnoException).code ?? "") ? [] : null
  }
}
