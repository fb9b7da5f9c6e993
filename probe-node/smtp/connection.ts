import { createConnection, isIP, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SessionReport } from "../../schema/wire/probe.ts"
import { Conversation } from "./conversation.ts"
import type { ConversationEnd, ConversationPlan, ConversationSink } from "./conversation-plan.ts"
import { type Deadlined, unwatchDeadline, watchDeadline } from "./deadlines.ts"
import type { Place } from "./route.ts"
import { Socks5Handshake, type SocksProxy, sourceName } from "./socks5.ts"

/** One thing that happened on a connection, for people who want to read along. */
export type TraceEvent =
  | { kind: "connect"; place: Place }
  | { kind: "connected" }
  | { kind: "sent"; text: string }
  | { kind: "received"; bytes: Buffer }
  | { kind: "secured"; tls: NonNullable<SessionReport["tls"]> }
  | { kind: "over"; end: ConversationEnd }

/** Bytes are only good until it returns. */
export type Trace = (event: TraceEvent) => void

export interface SessionTarget {
  readonly place: Place
  readonly proxy: SocksProxy | null
  /** Longest wait for each reply, in ms. */
  readonly patienceMs: Readonly<Record<SmtpStage, number>>
  /** When the caller's time is up, on the clock of `performance.now()`. */
  readonly wallAt: number
  /** TLS failed on an earlier connection, for this reason; the session goes on without. */
  readonly tlsProblem: string | null
  readonly trace?: Trace | undefined
}

export interface SessionResult {
  readonly end: ConversationEnd
  /** Null when no connection came about. */
  readonly report: SessionReport | null
  /** Asks answered, and those that were not. */
  readonly progress: number
  readonly unanswered: readonly number[]
  /** Time of the whole session, in ms. */
  readonly ms: number
}

export interface SessionOwner {
  answered(ask: number, outcome: RecipientOutcome, session: SessionReport): void
  /** Every answer there will be is known. Never called from within the constructor. */
  over(result: SessionResult): void
  /** The socket is closed, which may be a moment later. */
  closed(place: Place): void
}

/**
 * Longest wait for each reply, in ms. Far below the five minutes of RFC 5321 §4.5.3.2, because somebody waits for the
 * answer; the banner gets more than the 6 s for which postscreen holds it back.
 */
export const PATIENCE_MS: Readonly<Record<SmtpStage, number>> = {
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
 * What each further recipient of a group adds to it: Sendmail sleeps a second over each, and answers when it has read all.
 * Twenty may take 22 s, which leaves the next host the rest of a list's 30.
 */
const SHARE_OF_EACH = 1 / 24

/** Every socket reads into this one buffer: a read is parsed before the next one starts. */
const READ_BUFFER = Buffer.alloc(16_384)

const FAILURE_OF_ERROR: Readonly<Record<string, SmtpFailure>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ECONNABORTED: "reset",
  ETIMEDOUT: "timeout",
  // This machine's: an address it has lost, ports or files of which it has no more.
  EADDRNOTAVAIL: "throttled",
  EMFILE: "throttled",
  ENFILE: "throttled",
}

/** One TCP connection to a mail host and the conversation on it. Tells its owner what comes of it. */
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
    this.#handshake = target.proxy && new Socks5Handshake(target.proxy, target.place)
    this.dueAt = Math.min(target.wallAt, this.#startedAt + target.patienceMs.connect)
    this.#socket = this.#connect()
    watchDeadline(this)
  }

  /** Cuts the connection; what is unanswered fails with this. */
  abort(failure: SmtpFailure, detail: string): void {
    this.#conversation.fail(failure, detail, this.#connectedAt === 0 ? "connect" : this.#conversation.stage)
  }

  overdue(now: number): void {
    if (this.#conversation.isOver) this.goodbye()
    else if (now >= this.#target.wallAt) this.abort("deadline", "the time for this request is over")
    else this.#broken({ code: `no answer within ${Math.round(now - this.#sentAt)} ms`, failure: "timeout" })
  }

  send(commands: string): void {
    this.#target.trace?.({ kind: "sent", text: commands })
    this.#socket.write(commands)
    this.#startWaiting()
  }

  startTls(): void {
    const { mxHost } = this.#target.place
    const secure = connectTls({
      socket: this.#socket,
      ...(isIP(mxHost) ? {} : { servername: mxHost }),
      // Mail hosts often present certificates that do not verify; the problem is recorded, the session goes on.
      rejectUnauthorized: false,
      // Old hosts know no better, and the other choice is no encryption. OpenSSL speaks TLS 1.0 at its lowest level only.
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
    secure.on("end", () => this.#broken({ code: "closed by the server", failure: "reset" }))
    secure.on("error", (error: NodeJS.ErrnoException) => this.#broken({ code: error.code ?? error.message }))
  }

  answered(ask: number, outcome: RecipientOutcome): void {
    this.#owner.answered(ask, outcome, this.#reported())
  }

  over(end: ConversationEnd): void {
    this.#target.trace?.({ kind: "over", end })
    const report = this.#connectedAt === 0 ? null : this.#reported()
    const { progress, unanswered } = this.#conversation
    this.dueAt = performance.now() + this.#target.patienceMs.quit
    this.#owner.over({ end, report, progress, unanswered, ms: performance.now() - this.#startedAt })
  }

  goodbye(): void {
    unwatchDeadline(this)
    if (this.#tls || this.#socket.writableLength > 0) this.#socket.destroySoon()
    else this.#socket.destroy()
  }

  #connect(): Socket {
    const { place, proxy, trace } = this.#target
    trace?.({ kind: "connect", place })
    const socket = createConnection({
      host: proxy?.host ?? place.address,
      port: proxy?.port ?? place.port,
      ...(place.sourceIp ? { localAddress: place.sourceIp } : {}),
      onread: {
        buffer: READ_BUFFER,
        callback: (length) => {
          this.#receive(READ_BUFFER.subarray(0, length))
          return true
        },
      },
    })
    socket.once("connect", () => {
      if (this.#handshake) socket.write(this.#handshake.greeting())
      else this.#connected()
    })
    socket.once("end", () => this.#broken({ code: "closed by the server", failure: "reset" }))
    socket.on("error", (error: NodeJS.ErrnoException) => this.#broken({ code: error.code ?? error.message }))
    socket.once("close", () => {
      this.abort("reset", "closed")
      this.#owner.closed(place)
    })
    return socket
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
      // In a pipelined group each further reply gets its own time; bytes that complete none get no more.
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
    const patienceMs = this.#target.patienceMs[stage] * (1 + SHARE_OF_EACH * Math.max(0, recipients - 1))
    this.dueAt = Math.min(this.#target.wallAt, performance.now() + patienceMs)
  }

  #broken({ code, failure }: { code: string; failure?: SmtpFailure }): void {
    if (this.#handshake) this.abort("proxy", code.slice(0, 200))
    else if (this.#conversation.stage === "starttls") this.abort("tls", code.slice(0, 200))
    else this.abort(failure ?? FAILURE_OF_ERROR[code] ?? "unreachable", code.slice(0, 200))
  }

  #reported(): SessionReport {
    const { greeting, ehlo, extensions, mail } = this.#conversation
    if (this.#report?.mail === mail && this.#report.ehlo === ehlo) return this.#report
    const { place, proxy } = this.#target
    const { mxHost, address, sourceIp } = place
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
