import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import { type Reply, ReplyParser } from "./reply.ts"

/** One RCPT to send. Asks of one batch stand together and share a mail transaction. */
export interface Ask {
  readonly address: string
  /** Asks of one domain; operators refuse several domains in one transaction. */
  readonly batch: string
  readonly utf8: boolean
}

export interface ConversationPlan {
  readonly heloName: string
  readonly envelopeSender: string
  readonly pipelining: boolean
  readonly starttls: boolean
  readonly asks: readonly Ask[]
}

/** Why a conversation is over. Asks without an answer then have none from this session. */
export type ConversationEnd =
  | { kind: "done" }
  /** The server wants no more recipients in this session (452 4.5.3). */
  | { kind: "limit" }
  | { kind: "refused"; stage: SmtpStage; reply: SmtpReply }
  | { kind: "failed"; stage: SmtpStage; failure: SmtpFailure; detail: string }

/** What a conversation wants done. Calls come from within `receive` and `secured`. */
export interface ConversationSink {
  send(commands: string): void
  startTls(): void
  answered(ask: number, outcome: RecipientOutcome): void
  over(end: ConversationEnd): void
  /** The server has said goodbye, or will not. */
  goodbye(): void
}

interface Expected {
  readonly stage: SmtpStage
  readonly ask: number
}

/** RCPT commands in flight at a time: few enough to stop early when the server turns against us. */
const WINDOW = 25
const MAX_EXTENSIONS = 64

/**
 * The client side of one SMTP session that asks about mailboxes and sends no mail (RFC 5321, 2920, 3207, 6531).
 * Pure: bytes in, commands and answers out; it has no socket and no clock.
 */
export class Conversation {
  greeting: SmtpReply | null = null
  ehlo: SmtpReply | null = null
  mail: SmtpReply | null = null
  extensions: string[] = []
  /** Asks answered so far. */
  progress = 0

  readonly #plan: ConversationPlan
  readonly #sink: ConversationSink
  readonly #parser = new ReplyParser()
  readonly #answered: Uint8Array
  #expected: Expected[] = [{ stage: "banner", ask: -1 }]
  #state: "open" | "securing" | "over" | "closed" = "open"
  #secure = false
  #pipelined = false
  #helo = false
  #limited = false
  #next = 0
  #batch: string | null = null
  #batchAnswers = 0
  #quitSent = false

  constructor(plan: ConversationPlan, sink: ConversationSink) {
    this.#plan = plan
    this.#sink = sink
    this.#answered = new Uint8Array(plan.asks.length)
  }

  /** The command whose reply is awaited. */
  get stage(): SmtpStage {
    if (this.#state === "securing") return "starttls"
    return this.#expected[0]?.stage ?? "quit"
  }

  get isOver(): boolean {
    return this.#state === "over" || this.#state === "closed"
  }

  /** Bytes are thrown away: plaintext behind the answer to STARTTLS, or talk after the end. */
  get #isDeaf(): boolean {
    return this.#state === "securing" || this.#state === "closed"
  }

  /** @param ms since the last command was sent */
  receive(chunk: Buffer, ms: number): void {
    if (this.#isDeaf) return
    this.#parser.feed(chunk)
    for (let reply = this.#parser.next(); reply; reply = this.#parser.next()) {
      this.#take(reply, ms)
      if (this.#isDeaf) return this.#parser.discard()
    }
    if (this.#parser.problem !== null) this.fail("protocol", this.#parser.problem)
  }

  /** The TLS handshake is done: everything known from before it is void (RFC 3207 §4.2). */
  secured(): void {
    this.#state = "open"
    this.#secure = true
    this.extensions = []
    this.#sayHello("EHLO")
  }

  /** The connection ended or was cut. Nothing more will be received. */
  fail(failure: SmtpFailure, detail: string, stage: SmtpStage = this.stage): void {
    if (!this.isOver) this.#end({ kind: "failed", stage, failure, detail })
    this.#close()
  }

  #take(reply: Reply, ms: number): void {
    const expected = this.#expected.shift()
    const timed: SmtpReply = { code: reply.code, enhanced: reply.enhanced, text: reply.text, ms }
    if (!expected || expected.stage === "quit") return this.#farewell(timed)
    if (expected.stage === "banner") this.greeting = timed
    // 421 may answer any command: the server is closing the session (RFC 5321 §3.8).
    if (reply.code === 421) return this.#refuse(expected.stage, timed)
    switch (expected.stage) {
      case "banner":
        return reply.code === 220 ? this.#sayHello("EHLO") : this.#unwelcome("banner", timed)
      case "ehlo":
        return this.#takeHello(timed)
      case "starttls":
        return this.#takeStartTls(timed)
      case "mail":
        return this.#takeMail(expected.ask, timed)
      case "rcpt":
        return this.#takeRcpt(expected.ask, timed)
      default:
        return this.#proceed()
    }
  }

  #takeHello(reply: SmtpReply): void {
    this.ehlo = reply
    if (reply.code === 250) {
      if (!this.#helo)
        this.extensions = reply.text
          .split("\n")
          .slice(1, MAX_EXTENSIONS + 1)
          .map(keyword)
      if (this.#plan.starttls && !this.#secure && this.#offers("STARTTLS")) return this.#command("starttls", "STARTTLS")
      return this.#startAsking()
    }
    // A server that knows no EHLO (RFC 5321 §3.2); other refusals are about us.
    if (!this.#helo && [500, 502, 504].includes(reply.code)) return this.#sayHello("HELO")
    this.#unwelcome("ehlo", reply)
  }

  #takeStartTls(reply: SmtpReply): void {
    if (reply.code !== 220) return this.#startAsking()
    this.#state = "securing"
    this.#sink.startTls()
  }

  #startAsking(): void {
    this.#pipelined = this.#plan.pipelining && this.#offers("PIPELINING")
    if (!this.#offers("SMTPUTF8"))
      for (const [ask, { utf8 }] of this.#plan.asks.entries())
        if (utf8)
          this.#answer(ask, {
            kind: "failure",
            stage: "mail",
            failure: "smtputf8_unsupported",
            detail: "the server does not offer SMTPUTF8",
            ms: 0,
          })
    this.#proceed()
  }

  /** Sends the next command, or with PIPELINING the next group of them; QUIT goes with the last (RFC 2920 §3.1). */
  #proceed(): void {
    if (this.#state !== "open" || this.#expected.length > 0) return
    let group = ""
    do group += this.#nextCommand()
    while (this.#pipelined && !this.#quitSent && this.#expected.length < WINDOW)
    if (this.#quitSent && this.#expected.length === 1) this.#end({ kind: this.#limited ? "limit" : "done" })
    this.#sink.send(group)
  }

  #nextCommand(): string {
    const { asks, envelopeSender } = this.#plan
    while (this.#next < asks.length && this.#answered[this.#next]) this.#next++
    const ask = asks[this.#next]
    if (!ask || this.#limited) {
      this.#quitSent = true
      this.#expected.push({ stage: "quit", ask: -1 })
      return "QUIT\r\n"
    }
    if (this.#batch === ask.batch) {
      this.#expected.push({ stage: "rcpt", ask: this.#next++ })
      return `RCPT TO:<${ask.address}>\r\n`
    }
    if (this.#batch !== null) {
      this.#batch = null
      this.#expected.push({ stage: "rset", ask: -1 })
      return "RSET\r\n"
    }
    this.#batch = ask.batch
    this.#expected.push({ stage: "mail", ask: this.#next })
    return `MAIL FROM:<${envelopeSender}>${ask.utf8 ? " SMTPUTF8" : ""}\r\n`
  }

  #takeMail(first: number, reply: SmtpReply): void {
    this.mail = reply
    this.#batchAnswers = 0
    const { asks } = this.#plan
    if (!isPositive(reply))
      for (let ask = first; asks[ask]?.batch === asks[first]!.batch; ask++)
        this.#answer(ask, { kind: "reply", stage: "mail", reply })
    this.#settle()
  }

  #takeRcpt(ask: number, reply: SmtpReply): void {
    if (!this.#answered[ask]) {
      if (this.#batchAnswers > 0 && isRecipientLimit(reply)) this.#limited = true
      else {
        this.#batchAnswers++
        this.#answer(ask, { kind: "reply", stage: "rcpt", reply })
      }
    }
    this.#settle()
  }

  #answer(ask: number, outcome: RecipientOutcome): void {
    if (this.#answered[ask]) return
    this.#answered[ask] = 1
    this.progress++
    this.#sink.answered(ask, outcome)
  }

  /** With QUIT on its way and nothing else awaited, the result is known before the server's goodbye. */
  #settle(): void {
    if (this.#quitSent && this.#expected.length === 1) this.#end({ kind: this.#limited ? "limit" : "done" })
    else this.#proceed()
  }

  #farewell(reply: SmtpReply): void {
    if (!this.isOver) this.#end({ kind: "failed", stage: "quit", failure: "protocol", detail: `unasked ${reply.code}` })
    this.#close()
  }

  /** Anything but the expected positive reply to a command before MAIL. */
  #unwelcome(stage: SmtpStage, reply: SmtpReply): void {
    if (reply.code >= 400) return this.#refuse(stage, reply)
    this.#end({ kind: "failed", stage, failure: "protocol", detail: `unexpected ${reply.code}` })
    this.#close()
  }

  #refuse(stage: SmtpStage, reply: SmtpReply): void {
    if (this.isOver) return this.#close()
    this.#end({ kind: "refused", stage, reply })
    if (reply.code !== 421 && !this.#quitSent) this.#sink.send("QUIT\r\n")
    this.#close()
  }

  #end(end: ConversationEnd): void {
    if (this.isOver) return
    this.#state = "over"
    this.#sink.over(end)
  }

  #close(): void {
    if (this.#state === "closed") return
    this.#state = "closed"
    this.#sink.goodbye()
  }

  #sayHello(verb: "EHLO" | "HELO"): void {
    this.#helo = verb === "HELO"
    this.#command("ehlo", `${verb} ${this.#plan.heloName}`)
  }

  #command(stage: SmtpStage, line: string): void {
    this.#expected.push({ stage, ask: -1 })
    this.#sink.send(`${line}\r\n`)
  }

  #offers(extension: string): boolean {
    return this.extensions.some((line) => line === extension || line.startsWith(`${extension} `))
  }
}

function keyword(line: string): string {
  const [name = "", ...rest] = line.trim().split(/\s+/)
  return [name.toUpperCase(), ...rest].join(" ").slice(0, 64)
}

function isPositive({ code }: SmtpReply): boolean {
  return code >= 200 && code < 300
}

/** RFC 5321 §4.5.3.1.10: 452 (some say 552), with X.5.3 where enhanced codes are in use (RFC 3463 §3.6). */
function isRecipientLimit({ code, enhanced, text }: SmtpReply): boolean {
  if (code < 400) return false
  return enhanced?.endsWith(".5.3") ?? ((code === 452 || code === 552) && /too many (recipients|rcpts?)\b/i.test(text))
}
