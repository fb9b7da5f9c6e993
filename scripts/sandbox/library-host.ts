import { text } from "node:stream/consumers"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { type ConnectionRecord, note } from "./journal.ts"
import { readPath } from "./smtp-path.ts"
import type { SmtpSurroundings } from "./surroundings.ts"

type Role = "starttls" | "starttls-only" | "inbox"

class Refusal extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** A mail host run by npm smtp-server: STARTTLS with the library's own self-signed certificate, or delivery to the inbox. */
export function createLibraryHost(host: { name: string; role: Role }, surroundings: SmtpSurroundings): SMTPServer {
  const { name, role } = host
  const { journal, inbox, domainsOf, latencyMs } = surroundings
  const records = new Map<string, ConnectionRecord>()
  const later = (callback: (refusal?: Error) => void, refusal?: Error) => setTimeout(callback, latencyMs, refusal)
  const options: SMTPServerOptions = {
    name,
    banner: "Sandbox",
    disabledCommands: role === "inbox" ? ["AUTH", "STARTTLS"] : ["AUTH"],
    // Present but empty: the library then does not warn about its own certificate, which is what is wanted here.
    sniOptions: new Map(),
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: recorder(records),
    onConnect(session, callback) {
      records.set(session.id, journal.open(name, session.remoteAddress))
      later(callback)
    },
    onSecure(_socket, session, callback) {
      const record = records.get(session.id)
      if (record) record.tls = true
      callback()
    },
    onMailFrom(_sender, { secure }, callback) {
      const tooOpen = role === "starttls-only" && !secure
      later(callback, tooOpen ? new Refusal(530, "5.7.0 Must issue a STARTTLS command first") : undefined)
    },
    onRcptTo({ address }, _session, callback) {
      later(callback, refusalOf(address, { role, domains: domainsOf(name) }))
    },
    async onData(stream, { envelope }, callback) {
      if (role !== "inbox") return callback(new Refusal(451, "4.3.0 This sandbox host keeps no mail"))
      const { mailFrom, rcptTo } = envelope
      inbox.add({
        receivedAt: new Date().toISOString(),
        from: mailFrom ? mailFrom.address : "",
        to: rcptTo.map(({ address }) => address),
        raw: await text(stream),
      })
      callback()
    },
    onClose({ id }) {
      const record = records.get(id)
      if (record) record.closed = true
      records.delete(id)
    },
  }
  // A client that goes away or fails the handshake is nothing to report.
  return new SMTPServer(options).on("error", () => undefined)
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

/** The library tells commands and replies only to its logger. */
function recorder(
  records: ReadonlyMap<string, ConnectionRecord>,
): Exclude<SMTPServerOptions["logger"], boolean | undefined> {
  const nothing = () => undefined
  return {
    level: nothing,
    trace: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    fatal: nothing,
    debug({ tnx, cid }: { tnx?: string; cid?: string }, _direction: string, line: string) {
      const record = records.get(cid ?? "")
      if (!record || (tnx !== "command" && tnx !== "send")) return
      if (tnx === "send" && line.includes("talk too soon")) record.earlyTalk = true
      note(tnx === "command" ? record.commands : record.replies, line)
    },
  }
}
