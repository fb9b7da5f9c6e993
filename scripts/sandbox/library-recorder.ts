import type { Socket } from "node:net"
import type { SMTPServerOptions, SMTPServerSession } from "smtp-server"
import { type ConnectionRecord, type Journal, recordLine } from "./journal.ts"

/** Writes the journal of an smtp-server host. The library reports commands and replies only to its logger. */
export class LibraryRecorder {
  readonly #host: string
  readonly #journal: Journal
  /** Connections before their greeting, by client address and port. */
  readonly #waiting = new Map<string, ConnectionRecord>()
  readonly #sessions = new Map<string, ConnectionRecord>()

  constructor(host: string, journal: Journal) {
    this.#host = host
    this.#journal = journal
  }

  opened(socket: Socket): void {
    const client = socket.remoteAddress ?? ""
    const key = `${client}:${socket.remotePort}`
    const record = this.#journal.open(this.#host, client)
    this.#waiting.set(key, record)
    socket.once("data", (chunk) => {
      if (!this.#waiting.has(key)) return
      record.earlyTalk = true
      recordLine(record.commands, chunk.toString().trimEnd())
    })
    socket.once("close", () => {
      if (this.#waiting.delete(key)) record.closed = true
    })
  }

  greeted({ id, remoteAddress, remotePort }: SMTPServerSession): void {
    const key = `${remoteAddress}:${remotePort}`
    const record = this.#waiting.get(key)
    if (record) this.#sessions.set(id, record)
    this.#waiting.delete(key)
  }

  secured({ id }: SMTPServerSession): void {
    const record = this.#sessions.get(id)
    if (record) record.tls = true
  }

  closed({ id }: SMTPServerSession): void {
    const record = this.#sessions.get(id)
    if (record) record.closed = true
    this.#sessions.delete(id)
  }

  logger(): Exclude<SMTPServerOptions["logger"], boolean | undefined> {
    const nothing = () => undefined
    return {
      level: nothing,
      trace: nothing,
      info: nothing,
      warn: nothing,
      error: nothing,
      fatal: nothing,
      debug: ({ tnx, cid }: { tnx?: string; cid?: string }, _direction: string, line: string) => {
        const record = this.#sessions.get(cid ?? "")
        if (tnx === "command" && record) recordLine(record.commands, line)
        if (tnx === "send" && record) recordLine(record.replies, line)
      },
    }
  }
}
