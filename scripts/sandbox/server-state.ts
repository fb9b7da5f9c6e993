import { EventEmitter, once } from "node:events"
import type { AddressInfo, Server, Socket } from "node:net"

/** The parts that all mail hosts share. */
export interface SmtpContext {
  readonly journal: Journal
  readonly inbox: Inbox
  readonly greylist: Greylist
  /** Delay before each reply, in ms. */
  readonly latencyMs: number
  /** The domains whose mail a host accepts. */
  readonly domainsOf: (host: string) => ReadonlySet<string>
}

/** One SMTP connection as the server saw it. */
export interface ConnectionRecord {
  readonly at: string
  readonly host: string
  readonly client: string
  /** The client sent data before the greeting, against RFC 5321 §3.1. */
  earlyTalk: boolean
  /** The client pipelined without an offer, or after a command that must be last in its group (RFC 2920 §3.1). */
  improperPipelining: boolean
  tls: boolean
  readonly commands: string[]
  readonly replies: string[]
  closed: boolean
}

export interface QueryRecord {
  readonly at: string
  readonly via: "udp" | "tcp" | "doh"
  readonly name: string
  readonly type: string
  /** Rcode of the answer; null without an answer. */
  readonly rcode: number | null
}

export interface SandboxLog {
  readonly connections: readonly ConnectionRecord[]
  readonly queries: readonly QueryRecord[]
}

const MAX_CONNECTIONS = 5_000
const MAX_QUERIES = 20_000
const MAX_LINES = 1_000

/** The log of the sandbox, oldest entry first. Drops its oldest entries above a limit. */
export class Journal {
  #connections: ConnectionRecord[] = []
  #queries: QueryRecord[] = []

  open(host: string, client: string): ConnectionRecord {
    const record: ConnectionRecord = {
      at: new Date().toISOString(),
      host,
      client,
      earlyTalk: false,
      improperPipelining: false,
      tls: false,
      commands: [],
      replies: [],
      closed: false,
    }
    this.#connections.push(record)
    if (this.#connections.length > 2 * MAX_CONNECTIONS) this.#connections.splice(0, MAX_CONNECTIONS)
    return record
  }

  query(record: QueryRecord): void {
    this.#queries.push(record)
    if (this.#queries.length > 2 * MAX_QUERIES) this.#queries.splice(0, MAX_QUERIES)
  }

  read(): SandboxLog {
    return structuredClone({
      connections: this.#connections.slice(-MAX_CONNECTIONS),
      queries: this.#queries.slice(-MAX_QUERIES),
    })
  }

  clear(): void {
    this.#connections = []
    this.#queries = []
  }
}

/** Appends a line of a session, up to a length that no probe reaches. */
export function recordLine(lines: string[], line: string): void {
  if (lines.length < MAX_LINES) lines.push(line)
}

export interface InboxMessage {
  readonly receivedAt: string
  readonly from: string
  readonly to: readonly string[]
  /** The unchanged message with headers and body. */
  readonly raw: string
}

const MAX_MESSAGES = 100

/** The latest messages to the inbox host, oldest first. */
export class Inbox {
  #messages: InboxMessage[] = []

  add(message: InboxMessage): void {
    this.#messages = [...this.#messages, message].slice(-MAX_MESSAGES)
  }

  /** Messages to one recipient; all messages for null. */
  read(to: string | null): readonly InboxMessage[] {
    if (to === null) return this.#messages
    return this.#messages.filter((message) => message.to.some((one) => one.toLowerCase() === to.toLowerCase()))
  }

  clear(): void {
    this.#messages = []
  }
}

const MAX_TRIPLETS = 20_000

/** Greylisting by the triplet of client IP, envelope sender and recipient (RFC 6647 §2.2). */
export class Greylist {
  readonly #firstSeen = new Map<string, number>()
  readonly #seconds: number
  readonly #events = new EventEmitter().setMaxListeners(0)
  #state: "timed" | "paused" | "released" = "timed"

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Seconds until the triplet is accepted; 0 when it is accepted now. Another attempt does not restart the time. */
  secondsLeft({ client, sender, recipient }: { client: string; sender: string; recipient: string }): number {
    if (this.#state !== "timed") return this.#state === "paused" ? 1 : 0
    const triplet = `${client} ${sender.toLowerCase()} ${recipient.toLowerCase()}`
    const now = performance.now()
    const since = this.#firstSeen.get(triplet) ?? now
    if (since === now) this.#firstSeen.set(triplet, now)
    const [oldest] = this.#firstSeen.keys()
    if (this.#firstSeen.size > MAX_TRIPLETS && oldest !== undefined) this.#firstSeen.delete(oldest)
    return Math.max(0, Math.ceil(this.#seconds - (now - since) / 1_000))
  }

  /** Refuses every triplet until `release`. */
  hold(): void {
    this.#state = "paused"
  }

  /** From now on every triplet is accepted, and hosts that hang in their greeting answer. */
  release(): void {
    this.#state = "released"
    this.#events.emit("release")
  }

  /** Waits for the release. @throws AbortError when the signal aborts before it */
  async released(signal: AbortSignal): Promise<void> {
    if (this.#state !== "released") await once(this.#events, "release", { signal })
  }
}

const ATTEMPTS = 8

/**
 * Starts servers on one common port. For port 0 it starts again while the port that the system picked for the first is
 * taken for another.
 */
export async function onCommonPort<Started>(port: number, start: () => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE"
      if (!isTaken || port !== 0 || attempt >= ATTEMPTS) throw error
    }
  }
}

/** A TCP server and its open connections. Stopping closes the connections instead of waiting for them. */
export class StoppableServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(server: Server) {
    this.#server = server
    server.on("connection", (socket) => {
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
  }

  /** @returns the port, picked by the system for 0. @throws Error EADDRINUSE, EADDRNOTAVAIL */
  async listen(port: number, address: string): Promise<number> {
    await once(this.#server.listen({ port, host: address, backlog: 1_024 }), "listening")
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
