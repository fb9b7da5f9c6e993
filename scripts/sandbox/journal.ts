/** One SMTP connection as the server saw it. */
export interface ConnectionRecord {
  readonly at: string
  readonly host: string
  readonly client: string
  /** The client said something before it was greeted (RFC 5321 §3.1 forbids it). */
  earlyTalk: boolean
  /** Commands were sent in one go where that is not offered, or behind one that must be the last (RFC 2920 §3.1). */
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
  /** Rcode of the answer; null when none was given. */
  readonly rcode: number | null
}

export interface SandboxLog {
  readonly connections: readonly ConnectionRecord[]
  readonly queries: readonly QueryRecord[]
}

const CONNECTIONS_KEPT = 5_000
const QUERIES_KEPT = 20_000
const LINES_KEPT = 1_000

/** What happened in the sandbox, oldest first; the oldest entries are forgotten when there are many. */
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
    if (this.#connections.length > 2 * CONNECTIONS_KEPT) this.#connections.splice(0, CONNECTIONS_KEPT)
    return record
  }

  query(record: QueryRecord): void {
    this.#queries.push(record)
    if (this.#queries.length > 2 * QUERIES_KEPT) this.#queries.splice(0, QUERIES_KEPT)
  }

  read(): SandboxLog {
    return structuredClone({
      connections: this.#connections.slice(-CONNECTIONS_KEPT),
      queries: this.#queries.slice(-QUERIES_KEPT),
    })
  }

  clear(): void {
    this.#connections = []
    this.#queries = []
  }
}

/** Notes a line of a conversation, up to a length no probe reaches. */
export function note(lines: string[], line: string): void {
  if (lines.length < LINES_KEPT) lines.push(line)
}
