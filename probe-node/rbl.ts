import { Resolver as DnsResolver } from "node:dns/promises"
import type { RblAnswer, RblRequest, RblZoneAnswer } from "../schema/wire/rbl.ts"
import { type AddressPolicy, dialPort } from "./address-policy.ts"

/** A list as it is reported, and the DNS zone that is asked for it: a paid feed's zone holds the account's key. */
export interface RblZoneSetting {
  readonly name: string
  readonly zone: string
}

export interface RblLookups {
  /** Looks addresses up in every list at once; what is not answered by the deadline is reported as failed. */
  ask(request: RblRequest): Promise<RblAnswer>
}

export interface RblOptions {
  /** "host:port" of the node's own resolver; null for the system's. */
  readonly dns: string | null
  /** Lists to ask instead of those in a request; empty: those in the request. */
  readonly zones: readonly RblZoneSetting[]
  readonly policy: AddressPolicy
  readonly now: () => number
}

type Records = string[] | null

interface Kept {
  readonly records: Records
  readonly until: number
}

const LISTED_TEST_POINT = "127.0.0.2"
const CLEAN_TEST_POINT = "127.0.0.1"
const TEST_POINT_MS = 24 * 3_600_000
const ANSWER_MS = 3_600_000
const FAILURE_MS = 60_000
const MAX_KEPT = 50_000
const MAX_RECORDS = 16
/** NXDOMAIN and NODATA: the list was asked and does not have the address. */
const NOT_LISTED = ["ENOTFOUND", "ENODATA"]

export function createRblLookups({ dns, zones, policy, now }: RblOptions): RblLookups {
  const resolver = new DnsResolver({ timeout: 1_500, tries: 2 })
  if (dns) resolver.setServers([dns])
  const kept = new Map<string, Kept>()

  async function lookUp(zone: string, ip: string, keepMs: number): Promise<Records> {
    const name = `${ip.split(".").reverse().join(".")}.${zone}`
    const known = kept.get(name)
    if (known && known.until > now()) return known.records
    const records = await resolve(resolver, name)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(name, { records, until: now() + (records ? keepMs : FAILURE_MS) })
    return records
  }

  async function askZone({ name, zone }: RblZoneSetting, ips: readonly string[], wall: Wall): Promise<RblZoneAnswer> {
    const [listedTestPoint, cleanTestPoint, answers] = await Promise.all([
      wall.orNull(lookUp(zone, LISTED_TEST_POINT, TEST_POINT_MS)),
      wall.orNull(lookUp(zone, CLEAN_TEST_POINT, TEST_POINT_MS)),
      Promise.all(ips.map(async (ip) => ({ ip, records: await wall.orNull(lookUp(zone, ip, ANSWER_MS)) }))),
    ])
    return { zone: name, listedTestPoint, cleanTestPoint, answers }
  }

  return {
    async ask({ requestId, deadlineMs, ips, zones: asked }) {
      const wall = new Wall(deadlineMs)
      const lists = zones.length > 0 ? zones : asked.map((zone) => ({ name: zone, zone }))
      // No list knows anything about private space, and nobody else should learn of it.
      const known = ips.filter((ip) => dialPort(ip, policy) !== null)
      const answers = await Promise.all(lists.map((list) => askZone(list, known, wall)))
      wall.end()
      return { requestId, zones: answers }
    },
  }
}

/** @param text such as "bl.example.org,zen.spamhaus.org=KEY.zen.dq.spamhaus.net"; null when it is not written like that */
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
class Wall {
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
