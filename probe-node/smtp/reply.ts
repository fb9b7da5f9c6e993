/** One SMTP reply: the lines of its text joined by "\n", cut at 2,000 characters, without the codes. */
export interface Reply {
  readonly code: number
  readonly enhanced: string | null
  readonly text: string
}

/** Longest line and reply taken from a server. RFC 5321 §4.5.3.1.5 allows 512 octets; real ones are longer. */
export const REPLY_BOUNDS = { lineChars: 8_192, replyChars: 65_536, textChars: 2_000 } as const

const REPLY_LINE = /^[2-5]\d\d(?:[ -]|$)/
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/
const NOT_ASCII = /[^\u0000-\u007f]/
/** Said unasked by a server that closes the session (RFC 5321 §3.8), or thinks it is closed. */
const GOODBYE = /^[24]21[ \r\n-]/
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Incremental parser of SMTP replies (RFC 5321 §4.2). Give it bytes in any chunking with `feed`, then take replies
 * with `next` until it gives null. A server that does not speak SMTP shows in `problem`, after which nothing comes.
 */
export class ReplyParser {
  problem: string | null = null
  #input = ""
  #at = 0
  #text = ""
  #enhanced: string | null = null
  #lines = 0
  #chars = 0

  /** Takes a copy of the bytes, so that the caller may reuse its buffer. */
  feed(chunk: Buffer): void {
    const rest = this.#at === this.#input.length ? "" : this.#input.slice(this.#at)
    this.#input = rest + chunk.toString("latin1")
    this.#at = 0
  }

  next(): Reply | null {
    while (this.problem === null) {
      const end = this.#input.indexOf("\n", this.#at)
      const length = (end < 0 ? this.#input.length : end) - this.#at
      if (length > REPLY_BOUNDS.lineChars) this.#fail("a reply line does not end")
      else if (this.#chars + length > REPLY_BOUNDS.replyChars) this.#fail("a reply does not end")
      else if (end < 0) return null
      else {
        const line = this.#input.slice(this.#at, this.#input[end - 1] === "\r" && length > 0 ? end - 1 : end)
        this.#at = end + 1
        const reply = this.#take(line)
        if (reply) return reply
      }
    }
    return null
  }

  /** Whether there is something that was not taken yet, a goodbye aside. */
  get isAhead(): boolean {
    return this.#at < this.#input.length && !GOODBYE.test(this.#input.slice(this.#at, this.#at + 4))
  }

  /** Forgets what has not been taken yet: plaintext sent behind the answer to STARTTLS (RFC 3207 §5). */
  discard(): void {
    this.#input = ""
    this.#at = 0
    this.#startReply()
  }

  #take(line: string): Reply | null {
    const isReply = REPLY_LINE.test(line)
    if (!isReply && this.#lines === 0)
      return this.#fail(`not an SMTP reply: ${line.slice(0, 60).replace(CONTROL, "?")}`)
    // Inside a reply of several lines, some servers break long text without repeating the code.
    const text = isReply ? line.slice(4) : line
    this.#chars += line.length
    this.#enhanced ??= ENHANCED.exec(text)?.[0] ?? null
    if (this.#text.length < REPLY_BOUNDS.textChars) this.#text += (this.#lines === 0 ? "" : "\n") + decode(text)
    this.#lines++
    if (!isReply || line[3] === "-") return null
    const reply = { code: Number(line.slice(0, 3)), enhanced: this.#enhanced, text: cut(this.#text) }
    this.#startReply()
    return reply
  }

  #startReply(): void {
    this.#text = ""
    this.#enhanced = null
    this.#lines = 0
    this.#chars = 0
  }

  #fail(problem: string): null {
    this.problem = problem
    this.discard()
    return null
  }
}

/** As installed, Debian's Exim says it to whoever comes after ten of a transaction, of whom more than half were unknown. */
const TOO_MANY_BAD = /too many (bad|invalid|unknown) (recipients|rcpts?)\b/i

/** RFC 5321 §4.5.3.1.10: 452 (some say 552), with X.5.3 where enhanced codes are in use (RFC 3463 §3.6). */
export function isRecipientLimit({ code, enhanced, text }: Reply): boolean {
  if (code < 400) return false
  if (TOO_MANY_BAD.test(text)) return true
  return enhanced?.endsWith(".5.3") ?? ((code === 452 || code === 552) && /too many (recipients|rcpts?)\b/i.test(text))
}

type Words = Pick<Reply, "code" | "text">

/**
 * Whether a server that answers a command twice is heard once more, after the next command has been sent: it repeats what
 * cannot answer that one, a list of extensions or "Sender OK". A plain "ok" may be anything's.
 */
export function isSaidAgain({ code, text }: Words, before: Words | null): boolean {
  return code === 250 && text === before?.text && /\n|^(?!.*\b(?:rcpt|recipient)).*\bsender\b/i.test(text)
}

/** UTF-8 (RFC 6531 §3.7.4.2) when it is, else what old servers send: ISO 8859-1. */
function decode(latin1: string): string {
  if (!NOT_ASCII.test(latin1)) return latin1.replace(CONTROL, "?")
  const utf8 = Buffer.from(latin1, "latin1").toString("utf8")
  return (utf8.includes("\ufffd") ? latin1 : utf8).replace(CONTROL, "?")
}

function cut(text: string): string {
  return text.length <= REPLY_BOUNDS.textChars ? text : text.slice(0, REPLY_BOUNDS.textChars).toWellFormed()
}
