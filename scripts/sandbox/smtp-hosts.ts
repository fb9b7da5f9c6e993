import { createServer, type Server, type Socket } from "node:net"
import { type HostScript, MAIL_HOSTS, type MailHost, type Step } from "../../src/adapters/sandbox/mail-hosts.ts"
import { SmtpSession, wireReply } from "../../src/adapters/sandbox/smtp-session.ts"
import { createLibraryHost } from "./library-host.ts"
import { type ConnectionRecord, onCommonPort, recordLine, type SmtpContext, StoppableServer } from "./server-state.ts"

/**
 * Starts every mail host on its own loopback address, all on one port; 0 picks a port that is free on all of them.
 * @throws Error when the port is taken, or when this machine does not have the addresses 127.42.0.N
 */
export async function startSmtpHosts(port: number, context: SmtpContext) {
  const hosts = MAIL_HOSTS.filter(({ runs }) => runs.kind !== "nothing")
  return onCommonPort(port, async () => {
    const running = hosts.map((host) => ({
      address: host.address,
      server: new StoppableServer(serverOf(host, context)),
    }))
    const stop = async () => {
      await Promise.all(running.map(({ server }) => server.stop()))
    }
    try {
      const [first, ...others] = running
      const common = await first!.server.listen(port, first!.address)
      await Promise.all(others.map(({ server, address }) => server.listen(common, address)))
      return { port: common, stop }
    } catch (error) {
      await stop()
      throw (error as NodeJS.ErrnoException).code === "EADDRNOTAVAIL" ? noSuchAddress(error) : error
    }
  })
}

function serverOf({ name, runs }: MailHost, context: SmtpContext): Server {
  if (runs.kind === "library") return createLibraryHost({ name, role: runs.role }, context)
  const script = runs.kind === "script" ? runs.script : {}
  return createServer({ noDelay: true }, (socket) => new ScriptedConnection(socket, { name, script }, context).run())
}

function noSuchAddress(cause: unknown): Error {
  return new Error(
    "This system lacks the addresses of the sandbox's mail hosts in 127.42.0.0/16, which Linux has by default. Add " +
      "them to the loopback interface (macOS: `sudo ifconfig lo0 alias 127.42.0.10`, for each of 10 to 62 and 200 to " +
      "219), or start without the sandbox: SANDBOX=0.",
    { cause },
  )
}

const LONGEST_LINE = 2_048
const IDLE_MS = 300_000
/** Commands that must be last in a group (RFC 2920 §3.1, RFC 3207 §4). */
const LAST_IN_GROUP = /^(?:EHLO|HELO|STARTTLS|DATA|VRFY|NOOP|QUIT)\b/i
/** TLS alert, fatal, handshake_failure (RFC 8446 §6.2). */
const HANDSHAKE_FAILURE = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])

/** A connection to a mail host that follows a script. */
class ScriptedConnection {
  readonly #socket: Socket
  readonly #script: HostScript
  readonly #session: SmtpSession
  readonly #record: ConnectionRecord
  readonly #latencyMs: number
  /** Resolves when the host may greet. */
  readonly #greets: (signal: AbortSignal) => Promise<void>
  #received = ""
  #state: "greeting" | "talking" | "tls" | "mute" = "greeting"
  #busy = false

  constructor(
    socket: Socket,
    { name, script }: { name: string; script: HostScript },
    { journal, greylist, domainsOf, latencyMs }: SmtpContext,
  ) {
    const client = socket.remoteAddress ?? ""
    this.#socket = socket
    const hangs = script.greeting?.some((step) => typeof step !== "string" && step.act === "hang")
    this.#greets = hangs ? (signal) => greylist.released(signal) : async () => undefined
    this.#script = hangs ? {} : script
    if (hangs) this.#state = "mute"
    this.#latencyMs = latencyMs
    this.#record = journal.open(name, client)
    const secondsToWait = greylist.secondsLeft.bind(greylist)
    this.#session = new SmtpSession({
      host: name,
      client,
      script: this.#script,
      domains: domainsOf(name),
      secondsToWait,
    })
  }

  async run(): Promise<void> {
    const socket = this.#socket
    socket.setEncoding("utf8").setTimeout(IDLE_MS, () => socket.destroy())
    // Disconnecting clients are expected.
    socket.on("error", () => socket.destroy())
    const gone = new AbortController()
    socket.on("close", () => {
      this.#record.closed = true
      gone.abort()
    })
    socket.on("data", (text: string) => this.#receive(text))
    await this.#greets(gone.signal).catch(() => undefined)
    this.#state = "greeting"
    await pause(this.#latencyMs + (this.#script.greetingDelayMs ?? 0))
    const { earlyTalk } = this.#record
    this.#state = "talking"
    this.#busy = true
    this.#perform(earlyTalk ? this.#session.greetEarlyTalker() : this.#session.greet())
    this.#busy = false
    await this.#work()
  }

  #receive(text: string): void {
    if (this.#state === "mute") return
    if (this.#state === "tls") {
      this.#socket.end(HANDSHAKE_FAILURE)
      return
    }
    if (this.#state === "greeting") this.#record.earlyTalk = true
    this.#received += text
    this.#work()
  }

  async #work(): Promise<void> {
    if (this.#busy || this.#state !== "talking") return
    this.#busy = true
    for (let line = this.#nextLine(); line !== null; line = this.#nextLine()) {
      recordLine(this.#record.commands, line)
      const delayMs = this.#latencyMs + (this.#script.replyDelayMs ?? 0)
      if (delayMs > 0) await pause(delayMs)
      if (this.#pipelinesImproperly(line)) this.#record.improperPipelining = true
      if (this.#record.improperPipelining && !this.#offersPipelining()) {
        this.#perform(["503 5.5.0 Improper use of SMTP command pipelining", { act: "close" }])
        break
      }
      this.#perform(this.#session.answer(line))
      if (this.#script.breaksTls && /^STARTTLS$/i.test(line)) this.#state = "tls"
    }
    this.#busy = false
  }

  #pipelinesImproperly(line: string): boolean {
    return this.#received.includes("\n") && (!this.#offersPipelining() || LAST_IN_GROUP.test(line))
  }

  #offersPipelining(): boolean {
    return this.#session.extensions.includes("PIPELINING")
  }

  #nextLine(): string | null {
    if (this.#state !== "talking") return null
    const end = this.#received.indexOf("\n")
    if (end < 0) {
      if (this.#received.length > LONGEST_LINE) this.#perform(["500 5.5.2 Line too long", { act: "close" }])
      return null
    }
    const line = this.#received.slice(0, end).replace(/\r$/, "")
    this.#received = this.#received.slice(end + 1)
    return line
  }

  #perform(steps: readonly Step[]): void {
    for (const step of steps) {
      if (this.#state === "mute" || this.#socket.destroyed) return
      if (typeof step === "string") this.#reply(step)
      else if (step.act === "raw") this.#socket.write(step.bytes)
      else this.#silence(step.act)
    }
  }

  #reply(reply: string): void {
    const text = wireReply(reply)
    recordLine(this.#record.replies, text.trimEnd())
    this.#socket.write(text)
    if (reply.startsWith("421")) this.#silence("close")
  }

  #silence(act: "hang" | "close" | "reset"): void {
    this.#state = "mute"
    if (act === "close") this.#socket.end()
    if (act === "reset") this.#socket.resetAndDestroy()
  }
}

/** Waits without keeping the process running. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}
