import type { Server, Socket } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server"
import { readPath } from "../../src/adapters/sandbox/smtp-session.ts"
import { type ConnectionRecord, type Journal, recordLine, type SmtpContext } from "./server-state.ts"

type Role = "starttls" | "starttls-only" | "inbox"

class Refusal extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** A mail host on npm smtp-server: STARTTLS with the library's self-signed certificate, or delivery to the inbox. */
export function createLibraryHost(described: { name: string; role: Role }, context: SmtpContext): Server {
  const { name, role } = described
  const { journal, inbox, domainsOf, latencyMs } = context
  const recorder = new LibraryRecorder(name, journal)
  const later = (callback: (refusal?: Error) => void, refusal?: Error) => setTimeout(callback, latencyMs, refusal)
  const options: SMTPServerOptions = {
    name,
    banner: "Sandbox",
    disabledCommands: role === "inbox" ? ["AUTH", "STARTTLS"] : ["AUTH"],
    // An empty map stops the library's warning about its own certificate, which the sandbox uses on purpose.
    sniOptions: new Map(),
    disableReverseLookup: true,
    logger: recorder.logger(),
    onConnect(session, callback) {
      recorder.greeted(session)
      later(callback)
    },
    onSecure(_socket, session, callback) {
      recorder.secured(session)
      callback()
    },
    onMailFrom(_sender, { secure }, callback) {
      const needsTls = role === "starttls-only" && !secure
      later(callback, needsTls ? new Refusal(530, "5.7.0 Must issue a STARTTLS command first") : undefined)
    },
    onRcptTo({ address }, _session, callback) {
      later(callback, refusalOf(address, { role, domains: domainsOf(name) }))
    },
    onData(stream, { envelope }, callback) {
      if (role !== "inbox") return callback(new Refusal(451, "4.3.0 This sandbox host keeps no mail"))
      // When the client disconnects in the middle of a message, nothing is delivered.
      text(stream).then((raw) => {
        const { mailFrom, rcptTo } = envelope
        const from = mailFrom ? mailFrom.address : ""
        inbox.add({ from, to: rcptTo.map(({ address }) => address), raw, receivedAt: new Date().toISOString() })
        callback()
      }, callback)
    },
    onClose: (session) => recorder.closed(session),
  }
  // Errors of clients, such as a failed handshake, are expected.
  const { server } = new SMTPServer(options).on("error", () => undefined)
  return server.on("connection", (socket) => recorder.opened(socket))
}

function refusalOf(
  address: string,
  { role, domains }: { role: Role; domains: ReadonlySet<string> },
): Error | undefined {
  const path = readPath(`RCPT TO:<${address}>`)
  if (!path || !domains.has(path.domain)) return new Refusal(554, `5.7.1 <${address}>: Relay access denied`)
  if (role === "inbox" || path.account === "alice") return undefined
  return new Refusal(550, `5.1.1 <${address}>: Recipient address rejected: User unknown`)
}

/** Writes the journal of an smtp-server host. The library reports commands and replies only to its logger. */
class LibraryRecorder {
  readonly #host: string
  readonly #journal: Journal
  /** Connections before their greeting, by client address and port. */
  readonly #ungreeted = new Map<string, ConnectionRecord>()
  readonly #sessions = new Map<string, ConnectionRecord>()

  constructor(host: string, journal: Journal) {
    this.#host = host
    this.#journal = journal
  }

  opened(socket: Socket): void {
    const client = socket.remoteAddress ?? ""
    const key = `${client}:${socket.remotePort}`
    const record = this.#journal.open(this.#host, client)
    this.#ungreeted.set(key, record)
    socket.once("data", (chunk) => {
      if (!this.#ungreeted.has(key)) return
      record.earlyTalk = true
      recordLine(record.commands, chunk.toString().trimEnd())
    })
    socket.once("close", () => {
      if (this.#ungreeted.delete(key)) record.closed = true
    })
  }

  greeted({ id, remoteAddress, remotePort }: SMTPServerSession): void {
    const key = `${remoteAddress}:${remotePort}`
    const record = this.#ungreeted.get(key)
    if (record) this.#sessions.set(id, record)
    this.#ungreeted.delete(key)
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
