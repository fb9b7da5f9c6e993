import type { RecipientOutcome } from "../schema/wire/probe.ts"

/** Identifies one catch-all probe. Another host, or another source IP, may get a different answer. */
export interface CatchAllKey {
  readonly randomRecipient: string
  readonly mxHost: string
  readonly sourceIp: string
}

/** Answers to catch-all probes in separate sessions, shared by all sessions of one request to a large domain. */
export class CatchAllAnswers {
  /** Created on demand, because few requests need it. */
  #outcomes: Map<string, RecipientOutcome> | null = null

  /** Stores an answer only if it concerns the recipient. Temporary and sender-related refusals hold for one session. */
  record(key: CatchAllKey, outcome: RecipientOutcome): void {
    if (!isConclusive(outcome)) return
    this.#outcomes ??= new Map()
    this.#outcomes.set(keyOf(key), outcome)
  }

  find(key: CatchAllKey): RecipientOutcome | undefined {
    return this.#outcomes?.get(keyOf(key))
  }
}

/** Codes for an unknown mailbox (RFC 3463 §3.2), including those of Exchange and of Microsoft 365's edge. */
const NO_SUCH_MAILBOX: ReadonlySet<string | null> = new Set(["5.1.1", "5.1.10", "5.4.1"])
/** Mimecast's text for an unknown mailbox. It sends no enhanced code. */
const INVALID = /^invalid recipient\b/i

function isConclusive(outcome: RecipientOutcome): boolean {
  if (outcome.kind !== "reply" || outcome.stage !== "rcpt") return false
  const { code, enhanced, text } = outcome.reply
  return (code >= 250 && code <= 252) || NO_SUCH_MAILBOX.has(enhanced) || (code === 550 && INVALID.test(text))
}

function keyOf({ randomRecipient, mxHost, sourceIp }: CatchAllKey): string {
  return `${sourceIp} ${mxHost} ${randomRecipient}`
}
