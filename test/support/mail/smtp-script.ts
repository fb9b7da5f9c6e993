import { createServer, type Server, type Socket } from "node:net"
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls"

/** The reaction of a scripted server to one command. */
export interface Step {
  /** Raw answer bytes; lines need their "\r\n". */
  readonly say?: string
  /** Delay before the answer, in ms. */
  readonly afterMs?: number
  /** Event before the answer. */
  readonly after?: Promise<unknown>
  /** Sends the answer one byte at a time, at this interval in ms. */
  readonly dripMs?: number
  /** Close after the answer: FIN, or RST. */
  readonly end?: "close" | "reset" | "starttls"
}

export interface Script {
  /** Default: "220 mx.test ESMTP\r\n". */
  readonly banner?: Step
  /** Keywords in the EHLO reply; by default PIPELINING. */
  readonly extensions?: readonly string[]
  readonly tls?: SecureContext
  /**
   * The answer to a command; undefined selects the default: 250, and for RCPT a lookup in `mailboxes`.
   * `count` counts the commands of this session with the same verb, from 1.
   */
  readonly on?: (command: string, count: number) => Step | undefined
  /** Existing local parts or whole addresses; none by default. */
  readonly mailboxes?: readonly string[]
  /** Delay before answering a chunk of input, in ms. */
  readonly turnMs?: number
}

export interface ScriptedServer {
  readonly address: string
  readonly port: number
  /** Commands of each session, in order. */
  readonly sessions: string[][]
  /** Data that arrived before the banner was sent. */
  readonly early: string[]
  /** Open connections. */
  readonly open: ReadonlySet<unknown>
  close(): Promise<void>
}

/** Starts an SMTP server that follows the script, on a free port. */
export async function startScriptedSmtp(script: Script, address = "127.0.0.1", port = 0): Promise<ScriptedServer> {
  const sessions: string[][] = []
  const early: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    socket.on("error", () => undefined)
    const commands: string[] = []
    sessions.push(commands)
    new Session(script, { commands, early }).greet(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, address, resolve)
  })
  return {
    address,
    port: portOf(server),
    sessions,
    early,
    open: sockets,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function portOf(server: Server): number {
  const bound = server.address()
  return typeof bound === "object" && bound ? bound.port : 0
}

class Session {
  readonly #script: Script
  readonly #seen: { commands: string[]; early: string[] }
  readonly #counts = new Map<string, number>()
  #rest = ""
  #greeted = false
  #work = Promise.resolve()

  constructor(script: Script, seen: { commands: string[]; early: string[] }) {
    this.#script = script
    this.#seen = seen
  }

  greet(socket: Socket): void {
    this.#listen(socket)
    this.#queue(async () => {
      await this.#perform(socket, this.#script.banner ?? { say: "220 mx.test ESMTP\r\n", afterMs: this.#turnMs })
      this.#greeted = true
    })
  }

  get #turnMs(): number {
    return this.#script.turnMs ?? 0
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      if (!this.#greeted) this.#seen.early.push(chunk.toString())
      const lines = (this.#rest + chunk.toString()).split("\r\n")
      this.#rest = lines.pop()!
      const arrivedAt = Date.now()
      for (const line of lines) this.#queue(() => this.#answer(socket, line, arrivedAt))
    })
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work)
  }

  async #answer(socket: Socket, command: string, arrivedAt: number): Promise<void> {
    if (socket.destroyed) return
    this.#seen.commands.push(command)
    const verb = command.split(" ", 1)[0]!.toUpperCase()
    const count = (this.#counts.get(verb) ?? 0) + 1
    this.#counts.set(verb, count)
    const left = this.#turnMs - (Date.now() - arrivedAt)
    if (left > 0) await pause(left)
    await this.#perform(socket, this.#script.on?.(command, count) ?? this.#usual(verb, command))
  }

  #usual(verb: string, command: string): Step {
    if (verb === "EHLO") {
      const lines = ["mx.test", ...(this.#script.extensions ?? ["PIPELINING"])]
      return { say: lines.map((line, at) => `250${at === lines.length - 1 ? " " : "-"}${line}\r\n`).join("") }
    }
    if (verb === "QUIT") return { say: "221 2.0.0 bye\r\n", end: "close" }
    if (verb === "STARTTLS") return { say: "220 2.0.0 go ahead\r\n", end: "starttls" }
    if (verb !== "RCPT") return { say: "250 2.0.0 ok\r\n" }
    const address = /<(.*)>/.exec(command)?.[1] ?? ""
    const known = this.#script.mailboxes?.some((name) => name === address || address.startsWith(`${name}@`))
    return { say: known ? "250 2.1.5 ok\r\n" : "550 5.1.1 no such user\r\n" }
  }

  async #perform(socket: Socket, { say = "", afterMs = 0, after, dripMs, end }: Step): Promise<void> {
    if (afterMs > 0) await pause(afterMs)
    if (after) await after
    if (dripMs === undefined) socket.write(say)
    else
      for (const [at, byte] of Buffer.from(say).entries()) {
        if (at > 0) await pause(dripMs)
        if (socket.destroyed) return
        socket.write(Uint8Array.of(byte))
      }
    if (end === "close") socket.end()
    if (end === "reset") socket.resetAndDestroy()
    if (end === "starttls") this.#secure(socket)
  }

  #secure(socket: Socket): void {
    socket.removeAllListeners("data")
    this.#rest = ""
    const secure = new TLSSocket(socket, { isServer: true, secureContext: this.#script.tls ?? createSecureContext() })
    secure.on("error", () => undefined)
    this.#listen(secure)
    this.#work = Promise.resolve()
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
