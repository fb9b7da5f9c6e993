import type { RecipientOutcome } from "../schema/wire/probe.ts"

/** Whom a sibling was asked of, and from where: another host, or the same to another source IP, may say something else. */
export interface AskedOf {
  readonly sibling: string
  readonly mxHost: string
  readonly sourceIp: string
}

/** What one request has heard of random siblings in sessions of their own, for the other sessions of a large domain. */
export class Siblings {
  readonly #told = new Map<string, RecipientOutcome>()

  /** Only what is about the recipient is kept: "later" and "not from you" are of this moment and this session. */
  learn(asked: AskedOf, outcome: RecipientOutcome): void {
    if (isClear(outcome)) this.#told.set(keyOf(asked), outcome)
  }

  find(asked: AskedOf): RecipientOutcome | undefined {
    return this.#told.get(keyOf(asked))
  }
}

/** No such mailbox (RFC 3463 §3.2), as Exchange says it and as Microsoft 365 does at its edge. */
const NOBODY: ReadonlySet<string | null> = new Set(["5.1.1", "5.1.10", "5.4.1"])
/** The same in the words of Mimecast, which gives no enhanced code. */
const INVALID = /^invalid recipient\b/i

function isClear(outcome: RecipientOutcome): boolean {
  if (outcome.kind !== "reply" || outcome.stage !== "rcpt") return false
  const { code, enhanced, text } = outcome.reply
  return (code >= 250 && code <= 252) || NOBODY.has(enhanced) || (code === 550 && INVALID.test(text))
}

function keyOf({ sibling, mxHost, sourceIp }: AskedOf): string {
  return `${sourceIp} ${mxHost} ${sibling}`
}
