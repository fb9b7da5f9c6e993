import { Conversation } from "../../../probe-node/smtp/conversation.ts"
import type {
  ConversationEnd,
  ConversationPlan,
  ConversationSink,
  Rcpt,
} from "../../../probe-node/smtp/mail-transactions.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"

/** A RCPT for an address. */
export function rcpt(address: string): Rcpt {
  return { address, batch: address.split("@")[1]!, utf8: /[^\u0000-\u007f]/.test(address) }
}

/** A plan that probes these addresses. */
export function plan(addresses: readonly string[], changes: Partial<ConversationPlan> = {}): ConversationPlan {
  return {
    heloName: "probe.test",
    envelopeSender: "me@probe.test",
    pipelining: true,
    starttls: true,
    recipientsPerTransaction: Number.POSITIVE_INFINITY,
    rcpts: addresses.map(rcpt),
    slowMs: 6_000,
    ...changes,
  }
}

/** Records the calls of a conversation. */
export class Record implements ConversationSink {
  readonly sent: string[] = []
  readonly answers = new Map<number, string>()
  end: ConversationEnd | null = null
  tlsStarted = 0
  goodbyes = 0

  send(commands: string): void {
    this.sent.push(commands)
  }
  startTls(): void {
    this.tlsStarted++
  }
  answered(rcpt: number, outcome: RecipientOutcome): void {
    if (this.answers.has(rcpt)) throw new Error(`recipient ${rcpt} was answered twice`)
    this.answers.set(rcpt, outcome.kind === "reply" ? `${outcome.stage} ${outcome.reply.code}` : outcome.failure)
  }
  over(end: ConversationEnd): void {
    if (this.end) throw new Error("the conversation ended twice")
    this.end = end
  }
  goodbye(): void {
    this.goodbyes++
  }

  get outcome(): string {
    const { end } = this
    if (!end) return "open"
    if (end.kind === "refused") return `refused ${end.stage} ${end.reply.code}`
    return end.kind === "failed" ? `failed ${end.stage} ${end.failure}` : end.kind
  }
}

/** Runs a conversation with these server replies, one after the other. */
export function converse(
  planned: ConversationPlan,
  replies: readonly (string | Buffer)[],
): { record: Record; conversation: Conversation } {
  const record = new Record()
  const conversation = new Conversation(planned, record)
  for (const text of replies) {
    conversation.receive(Buffer.from(text as string), 1)
    if (record.tlsStarted === 1 && conversation.stage === "starttls") conversation.secured()
  }
  return { record, conversation }
}

/** Runs a conversation with one reply per command, in chunks cut at these positions. */
export function converseInChunks(
  planned: ConversationPlan,
  replies: readonly string[],
  places: readonly number[],
): Record {
  const record = new Record()
  const conversation = new Conversation(planned, record)
  for (let at = 0; at < replies.length; ) {
    const end = Math.max(record.sent.join("").split("\r\n").length, at + 1)
    const bytes = Buffer.from(replies.slice(at, end).join(""))
    const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b)
    for (const [nth, cut] of [...cuts, bytes.length].entries())
      conversation.receive(bytes.subarray(cuts[nth - 1] ?? 0, cut), 1)
    at = end
  }
  return record
}
