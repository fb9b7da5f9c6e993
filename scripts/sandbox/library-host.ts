import type { Server } from "node:net"
import { text } from "node:stream/consumers"
import { SMTPServer, type SMTPServerEnvelope, type SMTPServerOptions } from "smtp-server"
import type { InboxMessage } from "./inbox.ts"
import { LibraryRecorder } from "./library-recorder.ts"
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
export function createLibraryHost(described: { name: string; role: Role }, surroundings: SmtpSurroundings): Server {
  const { name, role } = described
  const { journal, inbox, domainsOf, latencyMs } = surroundings
  const recorder = new LibraryRecorder(name, journal)
  const later = (callback: (refusal?: Error) => void, refusal?: Error) => setTimeout(callback, latencyMs, refusal)
  const options: SMTPServerOptions = {
    name,
    banner: "Sandbox",
    disabledCommands: role === "inbox" ? ["AUTH", "STARTTLS"] : ["AUTH"],
    // Present but empty: the library then does not warn about its own certificate, which is what is wanted here.
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
      const tooOpen = role === "starttls-only" && !secure
      later(callback, tooOpen ? new Refusal(530, "5.7.0 Must issue a STARTTLS command first") : undefined)
    },
    onRcptTo({ address }, _session, callback) {
      later(callback, refusalOf(address, { role, domains: domainsOf(name) }))
    },
    onData(stream, { envelope }, callback) {
      if (role !== "inbox") return callback(new Refusal(451, "4.3.0 This sandbox host keeps no mail"))
      // A sender that goes away in the middle of the message has delivered nothing.
      text(stream).then((raw) => {
        inbox.add({ ...addressesOf(envelope), raw, receivedAt: new Date().toISOString() })
        callback()
      }, callback)
    },
    onClose: (session) => recorder.closed(session),
  }
  // A client that goes away or fails the handshake is nothing to report.
  const { server } = new SMTPServer(options).on("error", () => undefined)
  return server.on("connection", (socket) => recorder.opened(socket))
}

function addressesOf({ mailFrom, rcptTo }: SMTPServerEnvelope): Pick<InboxMessage, "from" | "to"> {
  return { from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address) }
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
