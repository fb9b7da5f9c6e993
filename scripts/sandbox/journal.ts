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
