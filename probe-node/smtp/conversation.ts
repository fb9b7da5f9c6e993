import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import { AskQueue, type Expected } from "./asks.ts"
import type { ConversationEnd, ConversationPlan, ConversationSink } from "./conversation-plan.ts"
import { COURIER, extensionsIn, NO_SMTPUTF8, PIPELINING, SMTPUTF8, STARTTLS } from "./extensions.ts"
import { isRecipientLimit, isSaidAgain, type Reply, ReplyParser } from "./reply.ts"

const AHEAD = "the server is ahead of us: it said something before it was asked"
/** Commands in flight at a time: few enough to stop early when the server turns against us. */
const WINDOW = 25
/** Exim corks its output at QUIT, so that all replies of the group come 200 ms late (4.96, measured): there it goes alone. */
const HOLDS_BACK_WITH_QUIT = /\bESMTP Exim\b/

/**
 * The client side of one SMTP session that asks about mailboxes and sends no mail (RFC 5321, 2920, 3207, 6531).
 * Pure: bytes in, commands and answers out; it has no socket and no clock.
 */
export class Conversation {
  readonly plan: ConversationPlan
  greeting: SmtpReply | null = null
  ehlo: SmtpReply | null = null
  mail: SmtpReply | null = null
  /** Complete replies heard so far. */
  replies = 0

  readonly #sink: ConversationSink
  readonly #parser = new ReplyParser()
  readonly #queue: AskQueue
  #expected: Expected[] = [{ stage: "banner", ask: -1 }]
  #state: "open" | "securing" | "over" | "closed" = "open"
  #secure = false
  #pipelined = false
  #helo = false
  /** The last "too many recipients" that is nobody's answer. */
  #limit: SmtpReply | null = null
  #isFull = false
  /** Recipients of the open transaction, and of the session, that got another answer than "too many recipients". */
  #taken = 0
  #takenInAll = 0
  #quitSent = false

  constructor(plan: ConversationPlan, sink: ConversationSink) {
    this.plan = plan
    this.#sink = sink
    this.#queue = new AskQueue(plan.asks, plan.envelopeSender, plan.recipientsPerTransaction)
  }

  /** The command whose reply is awaited. */
  get stage(): SmtpStage {
    if (this.#state === "securing") return "starttls"
    return this.#expected[0]?.stage ?? "quit"
  }

  /** What the server offered in its last answer to EHLO: keyword and parameters (RFC 5321 §4.1.1.1). */
  get extensions(): string[] {
    if (this.ehlo?.code !== 250 || this.#helo) return []
    return extensionsIn(this.ehlo.text)
  }

  /** Recipients whose replies are awaited. */
  get recipients(): number {
    return this.#expected.filter(({ stage }) => stage === "rcpt").length
  }

  /** Asks answered so far. */
  get progress(): number {
    return this.#queue.progress
  }

  get unanswered(): number[] {
    return this.#queue.unanswered()
  }

  get isOver(): boolean {
    return this.#state === "over" || this.#state === "closed"
  }

  /** Bytes are thrown away: plaintext behind the answer to STARTTLS (RFC 3207 §5), or talk after the end. */
  get #isDeaf(): boolean {
    return this.#state === "securing" || this.#state === "closed"
  }

  /** @param ms since the last command was sent */
  receive(chunk: Buffer, ms: number): void {
    if (this.#isDeaf) return
    this.#parser.feed(chunk)
    while (!this.#isDeaf) {
      const reply = this.#parser.next()
      if (!reply) break
      this.#take(reply, ms)
    }
    if (this.#isDeaf) this.#parser.discard()
    else if (this.#parser.problem !== null) this.fail("protocol", this.#parser.problem)
  }

  /** The TLS handshake is done: everything known from before it is void (RFC 3207 §4.2). */
  secured(): void {
    this.#state = "open"
    this.#secure = true
    this.#sayHello("EHLO")
  }

  /** The connection ended or is to be cut. */
  fail(failure: SmtpFailure, detail: string, stage: SmtpStage = this.stage): void {
    this.#end({ kind: "failed", stage, failure, detail })
    this.#close()
  }

  #take({ code, enhanced, text }: Reply, ms: number): void {
    this.replies++
    const expected = this.#expected.shift()
    const reply: SmtpReply = { code, enhanced, text, ms }
    if (!expected || expected.stage === "quit") this.fail("protocol", `unasked reply ${code}`)
    else if (this.isOver) return
    // 421 may answer any command: the server is closing the session (RFC 5321 §3.8).
    else if (code === 421 && expected.stage !== "banner") this.#refuse(expected.stage, reply)
    else this.#takeExpected(expected, reply)
  }

  #takeExpected({ stage, ask }: Expected, reply: SmtpReply): void {
    if (stage === "banner") this.#takeBanner(reply)
    else if (stage === "ehlo") this.#takeHello(reply)
    else if (stage === "starttls") this.#takeStartTls(reply)
    else if (stage === "mail") this.#takeMail(ask, reply)
    else if (stage === "rcpt") this.#takeRcpt(ask, reply)
    else this.#settle()
  }

  #takeBanner(reply: SmtpReply): void {
    this.greeting = reply
    if (reply.code === 220) this.#sayHello("EHLO")
    else this.#unwelcome("banner", reply)
  }

  #takeHello(reply: SmtpReply): void {
    this.ehlo = reply
    if (reply.code === 250) {
      if (this.plan.starttls && !this.#secure && this.#offers(STARTTLS)) this.#command("starttls", "STARTTLS")
      else this.#startAsking()
    }
    // A server that knows no EHLO (RFC 5321 §3.2); other refusals are about us.
    else if (!this.#helo && [500, 502, 504].includes(reply.code)) this.#sayHello("HELO")
    else this.#unwelcome("ehlo", reply)
  }

  #takeStartTls({ code }: SmtpReply): void {
    if (code !== 220) this.#startAsking()
    else {
      this.#state = "securing"
      this.#sink.startTls()
    }
  }

  #startAsking(): void {
    this.#pipelined = this.plan.pipelining && this.#offers(PIPELINING) && !this.#offers(COURIER)
    if (!this.#offers(SMTPUTF8))
      for (const [ask, { utf8 }] of this.plan.asks.entries()) if (utf8) this.#answer(ask, NO_SMTPUTF8)
    this.#settle()
  }

  #takeMail(first: number, reply: SmtpReply): void {
    if (isSaidAgain(reply, this.ehlo)) {
      this.fail("protocol", AHEAD, "mail")
      return
    }
    this.mail = reply
    this.#taken = 0
    if (reply.code < 200 || reply.code >= 300)
      for (const ask of this.#queue.transactionFrom(first)) this.#answer(ask, { kind: "reply", stage: "mail", reply })
    this.#settle()
  }

  /** Recipients over a limit go into the next transaction; where that takes none either, into the next session. */
  #takeRcpt(ask: number, reply: SmtpReply): void {
    // Which of the two is the answer cannot be told.
    if ((this.#expected.length === 0 && this.#parser.isAhead) || isSaidAgain(reply, this.mail)) {
      this.fail("protocol", AHEAD, "rcpt")
      return
    }
    const isLimit = isRecipientLimit(reply)
    if (isLimit && this.#takenInAll > 0) {
      this.#limit = reply
      if (this.#taken > 0) this.#queue.postpone(ask, this.#taken)
      else this.#isFull = true
    } else {
      if (!isLimit) {
        this.#taken++
        this.#takenInAll++
      }
      this.#answer(ask, { kind: "reply", stage: "rcpt", reply })
    }
    if (reply.code >= 500 && reply.ms > this.plan.slowMs) this.#leaveSlow()
    this.#settle()
  }

  #answer(ask: number, outcome: RecipientOutcome): void {
    if (this.#queue.answer(ask)) this.#sink.answered(ask, outcome)
  }

  /** Goes on when nothing is awaited. With QUIT on its way, the result is known before the server's goodbye. */
  #settle(): void {
    if (this.#expected.length === 0 && this.#state === "open") this.#sendGroup()
    if (this.#quitSent && this.#expected.length === 1) this.#endAsked()
  }

  #endAsked(): void {
    const { progress, asks, maxRecipients } = this.#queue
    if (progress === asks.length || this.#limit === null) this.#end({ kind: "done" })
    else this.#end({ kind: "limit", reply: this.#limit, recipientsPerTransaction: maxRecipients })
  }

  /** Sends the next command, or with PIPELINING the next group of them; QUIT goes with the last (RFC 2920 §3.1). */
  #sendGroup(): void {
    let group = ""
    do {
      const command = this.#isFull ? null : this.#queue.next()
      if (!command && group !== "" && HOLDS_BACK_WITH_QUIT.test(this.greeting?.text ?? "")) break
      this.#quitSent = command === null
      this.#expected.push(command?.expected ?? { stage: "quit", ask: -1 })
      group += command?.line ?? "QUIT\r\n"
    } while (this.#pipelined && !this.#quitSent && this.#expected.length < WINDOW)
    this.#say(group)
  }

  /** Anything but the expected positive reply to a command before MAIL. */
  #unwelcome(stage: SmtpStage, reply: SmtpReply): void {
    if (reply.code >= 400) this.#refuse(stage, reply)
    else this.fail("protocol", `unexpected reply ${reply.code}`, stage)
  }

  #refuse(stage: SmtpStage, reply: SmtpReply): void {
    this.#end({ kind: "refused", stage, reply })
    if (reply.code === 421) this.#close()
    else if (!this.#quitSent) this.#command("quit", "QUIT")
  }

  /** Not from what it has been asked already: it would go on with that, and count as a connection of ours. */
  #leaveSlow(): void {
    if (this.#pipelined || this.progress === this.#queue.asks.length) return
    this.#end({ kind: "slowed" })
    this.#command("quit", "QUIT")
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
    this.#command("ehlo", `${verb} ${this.plan.heloName}`)
  }

  #command(stage: SmtpStage, line: string): void {
    this.#expected.push({ stage, ask: -1 })
    this.#say(`${line}\r\n`)
  }

  /** What is there before a command would be taken for its answer, and each answer after it for the next one's. */
  #say(commands: string): void {
    if (!this.isOver && this.#parser.isAhead) this.fail("protocol", AHEAD)
    else this.#sink.send(commands)
  }

  /** Cheaper than `extensions`, which is only wanted for the report. */
  #offers(extension: RegExp): boolean {
    return !this.#helo && this.ehlo !== null && extension.test(this.ehlo.text)
  }
}
