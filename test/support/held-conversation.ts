import type { Ask } from "../../probe-node/smtp/asks.ts"
import { Conversation } from "../../probe-node/smtp/conversation.ts"
import type { ConversationEnd, ConversationPlan, ConversationSink } from "../../probe-node/smtp/conversation-plan.ts"
import type { RecipientOutcome } from "../../schema/wire/probe.ts"

/** A question about an address. */
export function ask(address: string): Ask {
  return { address, batch: address.split("@")[1]!, utf8: /[^\u0000-\u007f]/.test(address) }
}

/** A conversation about addresses. */
export function plan(addresses: readonly string[], changes: Partial<ConversationPlan> = {}): ConversationPlan {
  return {
    heloName: "probe.test",
    envelopeSender: "me@probe.test",
    pipelining: true,
    starttls: true,
    recipientsPerTransaction: Number.POSITIVE_INFINITY,
    asks: addresses.map(ask),
    slowMs: 6_000,
    ...changes,
  }
}

/** Everything a conversation wanted, in short words. */
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
  answered(ask: number, outcome: RecipientOutcome): void {
    if (this.answers.has(ask)) throw new Error(`ask ${ask} was answered twice`)
    this.answers.set(ask, outcome.kind === "reply" ? `${outcome.stage} ${outcome.reply.code}` : outcome.failure)
  }
  over(end: ConversationEnd): void {
    if (this.end) throw new Error("it was over twice")
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

/** Holds a conversation in which the server says these things, one after the other. */
export function hold(
  planned: ConversationPlan,
  said: readonly (string | Buffer)[],
): { record: Record; conversation: Conversation } {
  const record = new Record()
  const conversation = new Conversation(planned, record)
  for (const text of said) {
    conversation.receive(Buffer.from(text as string), 1)
    if (record.tlsStarted === 1 && conversation.stage === "starttls") conversation.secured()
  }
  return { record, conversation }
}

/** A server that gives as many replies as it heard commands, in chunks cut at these places. */
export function inTurn(planned: ConversationPlan, said: readonly string[], places: readonly number[]): Record {
  const record = new Record()
  const conversation = new Conversation(planned, record)
  for (let at = 0; at < said.length; ) {
    const end = Math.max(record.sent.join("").split("\r\n").length, at + 1)
    const bytes = Buffer.from(said.slice(at, end).join(""))
    const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b)
    for (const [nth, cut] of [...cuts, bytes.length].entries())
      conversation.receive(bytes.subarray(cuts[nth - 1] ?? 0, cut), 1)
    at = end
  }
  return record
}
