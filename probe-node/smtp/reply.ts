import type { RecipientOutcome } from "../../schema/wire/probe.ts"

/** One SMTP reply. `text` holds its lines without codes, joined by "\n" and cut at 2,000 characters. */
export interface Reply {
  readonly code: number
  readonly enhanced: string | null
  readonly text: string
}

/** Longest accepted line and reply. RFC 5321 §4.5.3.1.5 allows 512 octets, but servers send longer lines. */
export const REPLY_BOUNDS = { lineChars: 8_192, replyChars: 65_536, textChars: 2_000 } as const

const REPLY_LINE = /^[2-5]\d\d(?:[ -]|$)/
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/
const NOT_ASCII = /[^\u0000-\u007f]/
/** Replies that a server sends without a command when it closes the session (RFC 5321 §3.8). */
const GOODBYE = /^[24]21[ \r\n-]/
const UNUSUAL = /[^\t\n\u0020-\u007e]/
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Incremental parser of SMTP replies (RFC 5321 §4.2). Pass bytes in any chunking to `feed`, then call `next` until it
 * returns null. `problem` is set when the server does not speak SMTP, and no replies follow.
 */
export class ReplyParser {
  problem: string | null = null
  #input = ""
  #at = 0
  #text = ""
  #enhanced: string | null = null
  #lines = 0
  #chars = 0

  /** Copies the bytes, so that the caller may reuse its buffer. */
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
        const reply = this.#parseLine(line)
        if (reply) return reply
      }
    }
    return null
  }

  /** Whether unread input is left, except a closing reply. */
  get isAhead(): boolean {
    return this.#at < this.#input.length && !GOODBYE.test(this.#input.slice(this.#at, this.#at + 4))
  }

  /** Discards unread input, such as plaintext after the reply to STARTTLS (RFC 3207 §5). */
  discard(): void {
    this.#input = ""
    this.#at = 0
    this.#startReply()
  }

  #parseLine(line: string): Reply | null {
    const isReply = REPLY_LINE.test(line)
    if (!isReply && this.#lines === 0)
      return this.#fail(`not an SMTP reply: ${line.slice(0, 60).replace(CONTROL, "?")}`)
    // Some servers break long text in a multi-line reply without repeating the code.
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

/** Debian's default Exim sends this after ten recipients in a transaction when more than half were unknown. */
const TOO_MANY_BAD = /too many (bad|invalid|unknown) (recipients|rcpts?)\b/i

/** Whether a reply reports too many recipients: 452 or 552 (RFC 5321 §4.5.3.1.10), or X.5.3 (RFC 3463 §3.6). */
export function isRecipientLimit({ code, enhanced, text }: Reply): boolean {
  if (code < 400) return false
  if (TOO_MANY_BAD.test(text)) return true
  return enhanced?.endsWith(".5.3") ?? ((code === 452 || code === 552) && /too many (recipients|rcpts?)\b/i.test(text))
}

type ReplyText = Pick<Reply, "code" | "text">

/**
 * Whether a reply repeats the reply to the previous command, from a server that replies twice. Only a text that cannot
 * answer the next command counts: a list of extensions or "Sender OK". A plain "ok" may answer any command.
 */
export function isRepeatedReply({ code, text }: ReplyText, before: ReplyText | null): boolean {
  return code === 250 && text === before?.text && /\n|^(?!.*\b(?:rcpt|recipient)).*\bsender\b/i.test(text)
}

/** Decodes as UTF-8 (RFC 6531 §3.7.4.2) if valid, else as ISO 8859-1, which old servers send. */
function decode(latin1: string): string {
  if (!UNUSUAL.test(latin1)) return latin1
  if (!NOT_ASCII.test(latin1)) return latin1.replace(CONTROL, "?")
  const utf8 = Buffer.from(latin1, "latin1").toString("utf8")
  return (utf8.includes("\ufffd") ? latin1 : utf8).replace(CONTROL, "?")
}

function cut(text: string): string {
  return text.length <= REPLY_BOUNDS.textChars ? text : text.slice(0, REPLY_BOUNDS.textChars).toWellFormed()
}

/** What a server offers in its reply to EHLO. */
export interface Extensions {
  /** Keyword and parameters of each (RFC 5321 §4.1.1.1). */
  readonly list: string[]
  readonly starttls: boolean
  readonly pipelining: boolean
  readonly smtputf8: boolean
  /** Courier delays each refusal of a session longer: 8 s, 16 s, … (1.0, measured). It gets one command at a time. */
  readonly isCourier: boolean
}

/** Extension keywords, each on its own line after the greeting line. */
const STARTTLS = /\nSTARTTLS *$/im
const PIPELINING = /\nPIPELINING *$/im
const SMTPUTF8 = /\nSMTPUTF8 *$/im
const COURIER = /\nXVERP=Courier *$/im

const MAX_EXTENSIONS = 64

export const NO_EXTENSIONS = parse("")

/** Outcome for a non-ASCII address at a server without SMTPUTF8. */
export const NO_SMTPUTF8: RecipientOutcome = {
  kind: "failure",
  stage: "mail",
  failure: "smtputf8_unsupported",
  detail: "the server does not offer SMTPUTF8",
  ms: 0,
}

const MAX_KNOWN = 500
/** Extensions by EHLO reply, because a server sends each client the same reply. */
const known = new Map<string, Extensions>()

/** Extensions in a reply to EHLO. It caches the last replies. */
export function extensionsIn(ehlo: string): Extensions {
  const found = known.get(ehlo)
  if (found) return found
  if (known.size >= MAX_KNOWN) known.clear()
  const extensions = parse(ehlo)
  known.set(ehlo, extensions)
  return extensions
}

function parse(ehlo: string): Extensions {
  return {
    list: ehlo
      .split("\n")
      .slice(1, MAX_EXTENSIONS + 1)
      .map(withKeyword),
    starttls: STARTTLS.test(ehlo),
    pipelining: PIPELINING.test(ehlo),
    smtputf8: SMTPUTF8.test(ehlo),
    isCourier: COURIER.test(ehlo),
  }
}

function withKeyword(line: string): string {
  const space = line.indexOf(" ")
  const name = space < 0 ? line : line.slice(0, space)
  return (name.toUpperCase() + line.slice(name.length)).trimEnd().slice(0, 64)
}
