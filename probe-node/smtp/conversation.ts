import type { SmtpFailure, SmtpStage } from "../../schema/vocabulary.ts"
import type { RecipientOutcome, SmtpReply } from "../../schema/wire/probe.ts"
import {
  type ConversationEnd,
  type ConversationPlan,
  type ConversationSink,
  type Expected,
  RcptQueue,
} from "./mail-transactions.ts"
import {
  type Extensions,
  extensionsIn,
  isRecipientLimit,
  isRepeatedReply,
  NO_EXTENSIONS,
  NO_SMTPUTF8,
  type Reply,
  ReplyParser,
} from "./reply.ts"

const AHEAD = "the server sent a reply before the command"
/** Commands in flight at a time: few enough to stop early when the server starts to refuse. */
const WINDOW = 25
const QUIT: Expected = { stage: "quit", rcpt: -1 }
/** Exim delays all replies of a group with QUIT by 200 ms (4.96, measured). QUIT goes alone there. */
const DELAYS_GROUP_WITH_QUIT = /\bESMTP Exim\b/

/**
 * The client side of one SMTP session that probes mailboxes and sends no mail (RFC 5321, 2920, 3207, 6531).
 * It has no socket and no clock: it receives bytes, and returns commands and answers.
 */
export class Conversation {
  readonly plan: ConversationPlan
  greeting: SmtpReply | null = null
  ehlo: SmtpReply | null = null
  mail: SmtpReply | null = null
  /** Complete replies received so far. */
  replies = 0

  readonly #sink: ConversationSink
  readonly #parser = new ReplyParser()
  readonly #queue: RcptQueue
  #expected: Expected[] = [{ stage: "banner", rcpt: -1 }]
  #state: "open" | "securing" | "over" | "closed" = "open"
  #secure = false
  #pipelined = false
  #helo = false
  #offered: Extensions = NO_EXTENSIONS
  /** The last "too many recipients" reply that did not count as a recipient's answer. */
  #limit: SmtpReply | null = null
  #isFull = false
  /** Recipients in the open transaction, and in the session, with any reply except "too many recipients". */
  #answeredInTransaction = 0
  #answeredInSession = 0
  #quitSent = false

  constructor(plan: ConversationPlan, sink: ConversationSink) {
    this.plan = plan
    this.#sink = sink
    this.#queue = new RcptQueue(plan.rcpts, plan.envelopeSender, plan.recipientsPerTransaction)
  }

  /** The command whose reply is due next. */
  get stage(): SmtpStage {
    if (this.#state === "securing") return "starttls"
    return this.#expected[0]?.stage ?? "quit"
  }

  /** Extensions in the server's last reply to EHLO: keyword and parameters (RFC 5321 §4.1.1.1). */
  get extensions(): string[] {
    return this.#offered.list
  }

  /** Recipients whose replies are due. */
  get recipients(): number {
    let due = 0
    for (const { stage } of this.#expected) if (stage === "rcpt") due++
    return due
  }

  /** Recipients answered so far. */
  get progress(): number {
    return this.#queue.progress
  }

  get unanswered(): number[] {
    return this.#queue.unanswered()
  }

  get isOver(): boolean {
    return this.#state === "over" || this.#state === "closed"
  }

  /** Received bytes are discarded: plaintext after the reply to STARTTLS (RFC 3207 §5), or data after the end. */
  get #discardsInput(): boolean {
    return this.#state === "securing" || this.#state === "closed"
  }

  /** @param ms since the last command was sent */
  receive(chunk: Buffer, ms: number): void {
    if (this.#discardsInput) return
    this.#parser.feed(chunk)
    while (!this.#discardsInput) {
      const reply = this.#parser.next()
      if (!reply) break
      this.#handle(reply, ms)
    }
    if (this.#discardsInput) this.#parser.discard()
    else if (this.#parser.problem !== null) this.fail("protocol", this.#parser.problem)
  }

  /** The TLS handshake is done. The client discards what it learned before (RFC 3207 §4.2). */
  secured(): void {
    this.#state = "open"
    this.#secure = true
    this.#sendHello("EHLO")
  }

  /** Ends the conversation, because the connection ended or the owner closes it. */
  fail(failure: SmtpFailure, detail: string, stage: SmtpStage = this.stage): void {
    this.#end({ kind: "failed", stage, failure, detail })
    this.#close()
  }

  #handle({ code, enhanced, text }: Reply, ms: number): void {
    this.replies++
    const expected = this.#expected.shift()
    const reply: SmtpReply = { code, enhanced, text, ms }
    if (!expected || expected.stage === "quit") this.fail("protocol", `unexpected reply ${code} without a command`)
    else if (this.isOver) return
    // 421 may answer any command: the server is closing the session (RFC 5321 §3.8).
    else if (code === 421 && expected.stage !== "banner") this.#refuse(expected.stage, reply)
    else this.#handleExpected(expected, reply)
  }

  #handleExpected({ stage, rcpt }: Expected, reply: SmtpReply): void {
    if (stage === "banner") this.#handleBanner(reply)
    else if (stage === "ehlo") this.#handleHello(reply)
    else if (stage === "starttls") this.#handleStartTls(reply)
    else if (stage === "mail") this.#handleMail(rcpt, reply)
    else if (stage === "rcpt") this.#handleRcpt(rcpt, reply)
    else this.#settle()
  }

  #handleBanner(reply: SmtpReply): void {
    this.greeting = reply
    if (reply.code === 220) this.#sendHello("EHLO")
    else this.#unwelcome("banner", reply)
  }

  #handleHello(reply: SmtpReply): void {
    this.ehlo = reply
    this.#offered = reply.code === 250 && !this.#helo ? extensionsIn(reply.text) : NO_EXTENSIONS
    if (reply.code === 250) {
      if (this.plan.starttls && !this.#secure && this.#offered.starttls) this.#command("starttls", "STARTTLS")
      else this.#startTransactions()
    }
    // These codes mean that the server does not support EHLO (RFC 5321 §3.2). Other refusals concern our host.
    else if (!this.#helo && [500, 502, 504].includes(reply.code)) this.#sendHello("HELO")
    else this.#unwelcome("ehlo", reply)
  }

  #handleStartTls({ code }: SmtpReply): void {
    if (code !== 220) this.#startTransactions()
    else {
      this.#state = "securing"
      this.#sink.startTls()
    }
  }

  #startTransactions(): void {
    const { pipelining, isCourier, smtputf8 } = this.#offered
    this.#pipelined = this.plan.pipelining && pipelining && !isCourier
    if (!smtputf8) for (const [rcpt, { utf8 }] of this.plan.rcpts.entries()) if (utf8) this.#answer(rcpt, NO_SMTPUTF8)
    this.#settle()
  }

  #handleMail(first: number, reply: SmtpReply): void {
    if (isRepeatedReply(reply, this.ehlo)) {
      this.fail("protocol", AHEAD, "mail")
      return
    }
    this.mail = reply
    this.#answeredInTransaction = 0
    if (reply.code < 200 || reply.code >= 300)
      for (const rcpt of this.#queue.transactionFrom(first)) this.#answer(rcpt, { kind: "reply", stage: "mail", reply })
    this.#settle()
  }

  /** Recipients over a limit go into the next transaction, or into the next session if that accepts none. */
  #handleRcpt(rcpt: number, reply: SmtpReply): void {
    // Two replies: it is unknown which is the answer.
    if ((this.#expected.length === 0 && this.#parser.isAhead) || isRepeatedReply(reply, this.mail)) {
      this.fail("protocol", AHEAD, "rcpt")
      return
    }
    const isLimit = isRecipientLimit(reply)
    if (isLimit && this.#answeredInSession > 0) {
      this.#limit = reply
      if (this.#answeredInTransaction > 0) this.#queue.postpone(rcpt, this.#answeredInTransaction)
      else this.#isFull = true
    } else {
      if (!isLimit) {
        this.#answeredInTransaction++
        this.#answeredInSession++
      }
      this.#answer(rcpt, { kind: "reply", stage: "rcpt", reply })
    }
    if (reply.code >= 500 && reply.ms > this.plan.slowMs) this.#leaveSlow()
    this.#settle()
  }

  #answer(rcpt: number, outcome: RecipientOutcome): void {
    if (this.#queue.answer(rcpt)) this.#sink.answered(rcpt, outcome)
  }

  /** Continues when no reply is due. After QUIT was sent, the result is complete before the reply to QUIT. */
  #settle(): void {
    if (this.#expected.length === 0 && this.#state === "open") this.#sendGroup()
    if (this.#quitSent && this.#expected.length === 1) this.#endTransactions()
  }

  #endTransactions(): void {
    const { progress, rcpts, maxRecipients } = this.#queue
    if (progress === rcpts.length || this.#limit === null) this.#end({ kind: "done" })
    else this.#end({ kind: "limit", reply: this.#limit, recipientsPerTransaction: maxRecipients })
  }

  /** Sends the next command, or with PIPELINING the next group. QUIT ends the last group (RFC 2920 §3.1). */
  #sendGroup(): void {
    let group = ""
    do {
      const command = this.#isFull ? null : this.#queue.next()
      if (!command && group !== "" && DELAYS_GROUP_WITH_QUIT.test(this.greeting?.text ?? "")) break
      this.#quitSent = command === null
      this.#expected.push(command ?? QUIT)
      group += command?.line ?? "QUIT\r\n"
    } while (this.#pipelined && !this.#quitSent && this.#expected.length < WINDOW)
    this.#send(group)
  }

  /** Handles an unexpected reply to a command before MAIL. */
  #unwelcome(stage: SmtpStage, reply: SmtpReply): void {
    if (reply.code >= 400) this.#refuse(stage, reply)
    else this.fail("protocol", `unexpected reply ${reply.code}`, stage)
  }

  #refuse(stage: SmtpStage, reply: SmtpReply): void {
    this.#end({ kind: "refused", stage, reply })
    if (reply.code === 421) this.#close()
    else if (!this.#quitSent) this.#command("quit", "QUIT")
  }

  /** Leaves a slow server, unless commands are in flight: it would go on with them and count the connection. */
  #leaveSlow(): void {
    if (this.#pipelined || this.progress === this.#queue.rcpts.length) return
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

  #sendHello(verb: "EHLO" | "HELO"): void {
    this.#helo = verb === "HELO"
    this.#command("ehlo", `${verb} ${this.plan.heloName}`)
  }

  #command(stage: SmtpStage, line: string): void {
    this.#expected.push({ stage, rcpt: -1 })
    this.#send(`${line}\r\n`)
  }

  /** Fails on early input: it would count as the reply to this command, and shift all later replies. */
  #send(commands: string): void {
    if (!this.isOver && this.#parser.isAhead) this.fail("protocol", AHEAD)
    else this.#sink.send(commands)
  }
}
