import { Resolver as DnsResolver } from "node:dns/promises"
import type { RblAnswer, RblRequest, RblZoneAnswer } from "../schema/wire/rbl.ts"
import { type AddressPolicy, dialPort } from "./addresses.ts"

/** A blocklist's name in reports, and the DNS zone to query. A paid feed's zone contains the account's key. */
export interface RblZoneSetting {
  readonly name: string
  readonly zone: string
}

export interface RblLookups {
  /** Looks addresses up in all lists in parallel. A look-up without an answer by the deadline is reported as failed. */
  lookUpAll(request: RblRequest): Promise<RblAnswer>
}

export interface RblOptions {
  /** "host:port" of the node's own resolver. Null: the system's resolver. */
  readonly dns: string | null
  /** Lists to query instead of those in a request. Empty: those in the request. */
  readonly zones: readonly RblZoneSetting[]
  readonly policy: AddressPolicy
  readonly now: () => number
}

type Records = string[] | null

interface CacheEntry {
  readonly records: Records
  readonly expiresAt: number
}

const LISTED_TEST_POINT = "127.0.0.2"
const CLEAN_TEST_POINT = "127.0.0.1"
const TEST_POINT_MS = 24 * 3_600_000
const ANSWER_MS = 3_600_000
const FAILURE_MS = 60_000
const MAX_ENTRIES = 50_000
const MAX_RECORDS = 16
/** NXDOMAIN and NODATA: the list answered and does not contain the address. */
const NOT_LISTED = ["ENOTFOUND", "ENODATA"]

export function createRblLookups({ dns, zones, policy, now }: RblOptions): RblLookups {
  const resolver = new DnsResolver({ timeout: 1_500, tries: 2 })
  if (dns) resolver.setServers([dns])
  const cache = new Map<string, CacheEntry>()

  async function lookUp(zone: string, ip: string, ttlMs: number): Promise<Records> {
    const name = `${ip.split(".").reverse().join(".")}.${zone}`
    const known = cache.get(name)
    if (known && known.expiresAt > now()) return known.records
    const records = await resolve(resolver, name)
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    cache.set(name, { records, expiresAt: now() + (records ? ttlMs : FAILURE_MS) })
    return records
  }

  async function queryZone(
    { name, zone }: RblZoneSetting,
    ips: readonly string[],
    deadline: Deadline,
  ): Promise<RblZoneAnswer> {
    const [listedTestPoint, cleanTestPoint, answers] = await Promise.all([
      deadline.orNull(lookUp(zone, LISTED_TEST_POINT, TEST_POINT_MS)),
      deadline.orNull(lookUp(zone, CLEAN_TEST_POINT, TEST_POINT_MS)),
      Promise.all(ips.map(async (ip) => ({ ip, records: await deadline.orNull(lookUp(zone, ip, ANSWER_MS)) }))),
    ])
    return { zone: name, listedTestPoint, cleanTestPoint, answers }
  }

  return {
    async lookUpAll({ requestId, deadlineMs, ips, zones: requestedZones }) {
      const deadline = new Deadline(deadlineMs)
      const lists = zones.length > 0 ? zones : requestedZones.map((zone) => ({ name: zone, zone }))
      // Lists contain no private addresses, and queries would leak them.
      const known = ips.filter((ip) => dialPort(ip, policy) !== null)
      const answers = await Promise.all(lists.map((list) => queryZone(list, known, deadline)))
      deadline.end()
      return { requestId, zones: answers }
    },
  }
}

/** @param words such as "bl.example.org" or "zen.spamhaus.org=KEY.zen.dq.spamhaus.net" @returns null if invalid */
export function parseRblZones(words: readonly string[]): RblZoneSetting[] | null {
  const zones = words.map((word) => {
    const [name = "", zone = name, ...more] = word.toLowerCase().split("=")
    return more.length === 0 && isZone(name) && isZone(zone) ? { name, zone } : null
  })
  return zones.includes(null) ? null : zones.filter((zone) => zone !== null)
}

function isZone(text: string): boolean {
  return /^(?=.{1,200}$)[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(text)
}

async function resolve(resolver: DnsResolver, name: string): Promise<Records> {
  try {
    return (await resolver.resolve4(name)).slice(0, MAX_RECORDS)
  } catch (error) {
    return NOT_LISTED.includes((error as NodeJS.ErrnoException).code ?? "") ? [] : null
  }
}

/** A deadline shared by many promises. */
class Deadline {
  readonly #passed: Promise<null>
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<null>()
    this.#passed = promise
    this.#timer = setTimeout(() => resolve(null), ms)
  }

  orNull(work: Promise<Records>): Promise<Records> {
    return Promise.race([work, this.#passed])
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
