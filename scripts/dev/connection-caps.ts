import { clientNetwork, coarseNetwork, UNKNOWN_NETWORK } from "../../src/domain/accounts/caller.ts"

export interface Caps {
  /** Open connections of all callers. */
  readonly total: number
  /** Open connections of one network: an IPv4 address or an IPv6 /64. */
  readonly perNetwork: number
  /** All connections come from a reverse proxy, which hides the networks of the callers. */
  readonly isProxied?: boolean
}

export const DEFAULT_CAPS: Caps = { total: 4_096, perNetwork: 256 }

/** Files of `npm start` and of workerd beside those of connections. */
const OTHER_FILES = 512
/** Measured: workerd takes two for a connection. Its calls to the database, a resolver or a node take others. */
const FILES_PER_CONNECTION = 4
const LEAST_TOTAL = 16

interface CapSettings {
  readonly CONNECTIONS?: string | undefined
  readonly CONNECTIONS_PER_NETWORK?: string | undefined
  readonly CLIENT_IP_HEADER?: string | undefined
}

/**
 * The caps for the settings of `npm start`. Behind a reverse proxy all connections come from the proxy, so only their
 * sum counts.
 * @param files the largest number of open files of a process
 */
export function capsOf(settings: CapSettings, files: number): Caps {
  const total = Number(settings.CONNECTIONS || Math.min(DEFAULT_CAPS.total, mostConnections(files)))
  if (settings.CLIENT_IP_HEADER) return { total, perNetwork: total, isProxied: true }
  const perNetwork = Number(settings.CONNECTIONS_PER_NETWORK || Math.min(DEFAULT_CAPS.perNetwork, Math.ceil(total / 4)))
  return { total, perNetwork }
}

/** Problems of the caps' settings, each with the setting's name. */
export function capProblems(settings: CapSettings, files: number): string[] {
  const { total, perNetwork } = capsOf(settings, files)
  const most = mostConnections(files)
  if (most < LEAST_TOTAL || total > most) {
    const needed = Math.max(total, LEAST_TOTAL) * FILES_PER_CONNECTION + OTHER_FILES
    return [`CONNECTIONS: the limit of ${files} open files is too low: set it to ${needed} or more (ulimit -n)`]
  }
  if (!settings.CONNECTIONS_PER_NETWORK) return []
  if (settings.CLIENT_IP_HEADER)
    return ["CONNECTIONS_PER_NETWORK: all connections come from the proxy of CLIENT_IP_HEADER: set the cap there"]
  if (perNetwork > total) return [`CONNECTIONS_PER_NETWORK: must be at most CONNECTIONS, which is ${total}`]
  return []
}

function mostConnections(files: number): number {
  return Math.floor((files - OTHER_FILES) / FILES_PER_CONNECTION)
}

export type Reached = "total" | "perNetwork"

/** What happens to a new connection. `replaced` is the open connection that makes room for it. */
export type Decision<Connection> =
  | { readonly isAccepted: true; readonly replaced: Connection | null }
  | { readonly isAccepted: false; readonly reached: Reached }

/** A customer often has a whole IPv6 /48, and a provider's IPv4 /24 has several. Together they get this many times the cap. */
const NETWORKS_OF_AN_AREA = 4

/** The name of a caller's area. */
export function networkName(ip: string | undefined): string {
  return coarseNetwork(ip) ?? UNKNOWN_NETWORK
}

/** An IPv4 /24 or an IPv6 /48, with its connections from the oldest to the newest. */
type Area<Connection> = Map<Connection, string>

/**
 * Counts the open connections of each network and decides about new ones. When the sum is reached, the area with the
 * most connections loses its oldest one to an area with fewer, so no area uses up the sum. A stalled connection is old,
 * and an ordinary call is over within a second. Each step takes the same time for any number of connections.
 */
export class ConnectionCaps<Connection> {
  readonly #caps: Caps
  readonly #networks = new Map<string, number>()
  readonly #areas = new Map<string, Area<Connection>>()
  /** The area of each open connection, by name. */
  readonly #open = new Map<Connection, string>()
  /** The areas by their number of connections. */
  readonly #bySize: Set<Area<Connection>>[] = [new Set()]

  constructor(caps: Caps) {
    this.#caps = caps
  }

  /** The open connections, oldest first. */
  connections(): Iterable<Connection> {
    return this.#open.keys()
  }

  /** @param ip the caller's address as the socket states it */
  open(connection: Connection, ip: string | undefined): Decision<Connection> {
    const { total, perNetwork } = this.#caps
    const network = clientNetwork(ip)
    const name = networkName(ip)
    const area = this.#areas.get(name) ?? new Map<Connection, string>()
    const isFull = (this.#networks.get(network) ?? 0) >= perNetwork || area.size >= perNetwork * NETWORKS_OF_AN_AREA
    if (isFull) return { isAccepted: false, reached: "perNetwork" }
    let replaced: Connection | null = null
    if (this.#open.size >= total) {
      const [largest] = this.#bySize.at(-1)!
      // With a difference of one, both areas would replace each other without end.
      if (!largest || area.size + 1 >= largest.size) return { isAccepted: false, reached: "total" }
      replaced = largest.keys().next().value!
      this.close(replaced)
    }
    this.#areas.set(name, area)
    this.#open.set(connection, name)
    this.#networks.set(network, (this.#networks.get(network) ?? 0) + 1)
    this.#resize(area, () => area.set(connection, network))
    return { isAccepted: true, replaced }
  }

  /** Does nothing for a connection that was refused or replaced. */
  close(connection: Connection): void {
    const name = this.#open.get(connection)
    if (name === undefined) return
    const area = this.#areas.get(name)!
    const network = area.get(connection)!
    this.#open.delete(connection)
    this.#resize(area, () => area.delete(connection))
    if (area.size === 0) this.#areas.delete(name)
    const left = this.#networks.get(network)! - 1
    if (left === 0) this.#networks.delete(network)
    else this.#networks.set(network, left)
  }

  #resize(area: Area<Connection>, change: () => void): void {
    this.#bySize[area.size]!.delete(area)
    change()
    this.#bySize[area.size] ??= new Set()
    if (area.size > 0) this.#bySize[area.size]!.add(area)
    // A size changes by one, so at most one level becomes empty.
    if (this.#bySize.length > 1 && this.#bySize.at(-1)!.size === 0) this.#bySize.pop()
  }
}
