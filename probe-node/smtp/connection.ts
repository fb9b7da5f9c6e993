import { createConnection, isIP, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SessionReport } from "../../schema/wire/probe.ts"
import { Conversation } from "./conversation.ts"
import { type Deadlined, unwatchDeadline, watchDeadline } from "./deadlines.ts"
import type { ConversationEnd, ConversationPlan, ConversationSink } from "./mail-transactions.ts"
import type { Endpoint } from "./route.ts"
import { Socks5Handshake, type SocksProxy, sourceName } from "./socks5.ts"

/** An event on a connection, for transcripts. */
export type TraceEvent =
  | { kind: "connect"; endpoint: Endpoint }
  | { kind: "connected" }
  | { kind: "sent"; text: string }
  | { kind: "received"; bytes: Buffer }
  | { kind: "secured"; tls: NonNullable<SessionReport["tls"]> }
  | { kind: "over"; end: ConversationEnd }

/** The event's bytes are valid only until the callback returns. */
export type Trace = (event: TraceEvent) => void

export interface SessionTarget {
  readonly endpoint: Endpoint
  readonly proxy: SocksProxy | null
  /** Timeout for each reply, in ms. */
  readonly replyTimeoutMs: Readonly<Record<SmtpStage, number>>
  /** The caller's deadline, on the clock of `performance.now()`. */
  readonly deadlineAt: number
  /** Why TLS failed on an earlier connection. This session uses plaintext. Null: no failure. */
  readonly tlsProblem: string | null
  readonly trace?: Trace | undefined
}

export interface SessionResult {
  readonly end: ConversationEnd
  /** Null when no connection was established. */
  readonly report: SessionReport | null
  /** Recipients answered. */
  readonly progress: number
  /** Indexes of the recipients without an answer. */
  readonly unanswered: readonly number[]
  /** Duration of the whole session, in ms. */
  readonly ms: number
}

export interface SessionOwner {
  answered(rcpt: number, outcome: RecipientOutcome, session: SessionReport): void
  /** The session ended: no further answers follow. Never called from within the constructor. */
  over(result: SessionResult): void
  /** The socket is closed. This may follow `over` after a moment. */
  closed(endpoint: Endpoint): void
}

/**
 * Timeout for each reply, in ms. Far below the five minutes of RFC 5321 §4.5.3.2, because a caller waits.
 * The banner gets more than the 6 s for which postscreen delays it.
 */
export const REPLY_TIMEOUT_MS: Readonly<Record<SmtpStage, number>> = {
  connect: 6_000,
  banner: 12_000,
  ehlo: 10_000,
  starttls: 8_000,
  mail: 12_000,
  rcpt: 15_000,
  rset: 10_000,
  quit: 1_000,
}

/**
 * Share of the timeout added per further recipient of a group. Sendmail sleeps a second for each, and replies after
 * reading all. Twenty may take 22 s, which leaves the next host the rest of a list's 30 s.
 */
const EXTRA_PER_RECIPIENT = 1 / 24

/** Shared read buffer of all sockets: each read is parsed before the next one starts. */
const READ_BUFFER = Buffer.alloc(16_384)

const FAILURE_OF_ERROR: Readonly<Record<string, SmtpFailure>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ECONNABORTED: "reset",
  ETIMEDOUT: "timeout",
  // Faults of this machine: a lost address, or no free ports or file descriptors.
  EADDRNOTAVAIL: "throttled",
  EMFILE: "throttled",
  ENFILE: "throttled",
}

/** One TCP connection to a mail host and its SMTP conversation. It reports the results to its owner. */
export class SmtpSession implements ConversationSink, Deadlined {
  dueAt: number
  readonly #target: SessionTarget
  readonly #owner: SessionOwner
  readonly #conversation: Conversation
  readonly #startedAt = performance.now()
  #socket: Socket | TLSSocket
  #handshake: Socks5Handshake | null
  #sentAt = this.#startedAt
  #connectedAt = 0
  #report: SessionReport | null = null
  #tls: SessionReport["tls"] = null

  constructor(target: SessionTarget, plan: ConversationPlan, owner: SessionOwner) {
    this.#target = target
    this.#owner = owner
    this.#conversation = new Conversation(plan, this)
    if (target.tlsProblem !== null) this.#tls = { protocol: "none", authorized: false, problem: target.tlsProblem }
    this.#handshake = target.proxy && new Socks5Handshake(target.proxy, target.endpoint)
    this.dueAt = Math.min(target.deadlineAt, this.#startedAt + target.replyTimeoutMs.connect)
    this.#socket = this.#connect()
    watchDeadline(this)
  }

  /** Closes the connection. Unanswered recipients get this failure. */
  abort(failure: SmtpFailure, detail: string): void {
    this.#conversation.fail(failure, detail, this.#connectedAt === 0 ? "connect" : this.#conversation.stage)
  }

  overdue(now: number): void {
    if (this.#conversation.isOver) this.goodbye()
    else if (now >= this.#target.deadlineAt) this.abort("deadline", "the request's deadline passed")
    else this.#connectionFailed({ code: `no answer within ${Math.round(now - this.#sentAt)} ms`, failure: "timeout" })
  }

  send(commands: string): void {
    this.#target.trace?.({ kind: "sent", text: commands })
    this.#socket.write(commands)
    this.#startWaiting()
  }

  startTls(): void {
    const { mxHost } = this.#target.endpoint
    const secure = connectTls({
      socket: this.#socket,
      ...(isIP(mxHost) ? {} : { servername: mxHost }),
      // Many mail hosts present invalid certificates. The report records the problem and the session continues.
      rejectUnauthorized: false,
      // Old hosts support only TLS 1.0, and the alternative is plaintext. OpenSSL allows TLS 1.0 only at level 0.
      minVersion: "TLSv1",
      ciphers: "DEFAULT@SECLEVEL=0",
    })
    this.#startWaiting()
    this.#socket = secure
    secure.once("secureConnect", () => {
      this.#tls = {
        protocol: secure.getProtocol() ?? "unknown",
        authorized: secure.authorized,
        problem: secure.authorized ? null : String(secure.authorizationError ?? "not authorized").slice(0, 200),
      }
      this.#target.trace?.({ kind: "secured", tls: this.#tls })
      this.#conversation.secured()
    })
    secure.on("data", (chunk: Buffer) => this.#receive(chunk))
    this.#watchFailures(secure)
  }

  answered(rcpt: number, outcome: RecipientOutcome): void {
    this.#owner.answered(rcpt, outcome, this.#reported())
  }

  over(end: ConversationEnd): void {
    this.#target.trace?.({ kind: "over", end })
    const report = this.#connectedAt === 0 ? null : this.#reported()
    const { progress, unanswered } = this.#conversation
    this.dueAt = performance.now() + this.#target.replyTimeoutMs.quit
    this.#owner.over({ end, report, progress, unanswered, ms: performance.now() - this.#startedAt })
  }

  goodbye(): void {
    unwatchDeadline(this)
    if (this.#tls || this.#socket.writableLength > 0) this.#socket.destroySoon()
    else this.#socket.destroy()
  }

  #connect(): Socket {
    const { endpoint, proxy, trace } = this.#target
    trace?.({ kind: "connect", endpoint })
    const socket = createConnection({
      host: proxy?.host ?? endpoint.address,
      port: proxy?.port ?? endpoint.port,
      ...(endpoint.sourceIp ? { localAddress: endpoint.sourceIp } : {}),
      onread: {
        buffer: READ_BUFFER,
        callback: (length) => {
          this.#receive(READ_BUFFER.subarray(0, length))
          return true
        },
      },
    })
    socket.on("connect", () => {
      if (this.#handshake) socket.write(this.#handshake.greeting())
      else this.#connected()
    })
    this.#watchFailures(socket)
    socket.on("close", () => {
      this.abort("reset", "closed")
      this.#owner.closed(endpoint)
    })
    return socket
  }

  #watchFailures(socket: Socket): void {
    socket.on("end", () => this.#connectionFailed({ code: "closed by the server", failure: "reset" }))
    socket.on("error", (error: NodeJS.ErrnoException) => this.#connectionFailed({ code: error.code ?? error.message }))
  }

  #connected(): void {
    this.#handshake = null
    this.#connectedAt = performance.now()
    this.#target.trace?.({ kind: "connected" })
    this.#startWaiting()
  }

  #receive(chunk: Buffer): void {
    if (this.#handshake) this.#passProxy(this.#handshake, chunk)
    else {
      this.#target.trace?.({ kind: "received", bytes: chunk })
      const { replies } = this.#conversation
      this.#conversation.receive(chunk, Math.round((performance.now() - this.#sentAt) * 10) / 10)
      // Each complete reply of a pipelined group restarts the timeout. Partial replies do not.
      if (this.#conversation.replies > replies) this.#extend()
    }
  }

  #passProxy(handshake: Socks5Handshake, chunk: Buffer): void {
    const step = handshake.receive(chunk)
    if (step.kind === "send") this.#socket.write(step.bytes)
    if (step.kind === "failed") this.abort(step.failure, step.detail)
    if (step.kind !== "open") return
    this.#connected()
    if (step.rest.length > 0) this.#receive(step.rest)
  }

  #startWaiting(): void {
    this.#sentAt = performance.now()
    this.#extend()
  }

  #extend(): void {
    if (this.#conversation.isOver) return
    const { stage, recipients } = this.#conversation
    const replyTimeoutMs = this.#target.replyTimeoutMs[stage] * (1 + EXTRA_PER_RECIPIENT * Math.max(0, recipients - 1))
    this.dueAt = Math.min(this.#target.deadlineAt, performance.now() + replyTimeoutMs)
  }

  #connectionFailed({ code, failure }: { code: string; failure?: SmtpFailure }): void {
    if (this.#handshake) this.abort("proxy", code.slice(0, 200))
    else if (this.#conversation.stage === "starttls") this.abort("tls", code.slice(0, 200))
    else this.abort(failure ?? FAILURE_OF_ERROR[code] ?? "unreachable", code.slice(0, 200))
  }

  #reported(): SessionReport {
    const { greeting, ehlo, extensions, mail } = this.#conversation
    if (this.#report?.mail === mail && this.#report.ehlo === ehlo) return this.#report
    const { endpoint, proxy } = this.#target
    const { mxHost, address, sourceIp } = endpoint
    this.#report = {
      mxHost,
      address,
      sourceIp: proxy ? sourceName(proxy) : (sourceIp ?? this.#socket.localAddress ?? "unknown"),
      heloName: this.#conversation.plan.heloName,
      envelopeSender: this.#conversation.plan.envelopeSender,
      greeting,
      ehlo,
      extensions,
      tls: this.#tls,
      mail,
      connectMs: Math.round((this.#connectedAt - this.#startedAt) * 10) / 10,
    }
    return this.#report
  }
}
