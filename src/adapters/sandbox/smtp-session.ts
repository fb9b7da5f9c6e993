import { domainToASCII } from "node:url"
import { BASIC_EXTENSIONS, GREYLISTED, type HostScript, RELAY_DENIED, type Step, UNKNOWN_USER } from "./mail-hosts.ts"

/** The host and client of a session. */
interface SessionSetting {
  readonly host: string
  readonly client: string
  readonly script: HostScript
  readonly domains: ReadonlySet<string>
  readonly secondsToWait: (triplet: { client: string; sender: string; recipient: string }) => number
}

const NON_ASCII = /[^\p{ASCII}]/u

/** The state of one SMTP session. Turns commands into steps and does no I/O. */
export class SmtpSession {
  readonly extensions: readonly string[]
  readonly #setting: SessionSetting
  #helo = ""
  #sender: SmtpPath | null = null
  #accepted = 0

  constructor(setting: SessionSetting) {
    this.#setting = setting
    this.extensions = setting.script.extensions ?? BASIC_EXTENSIONS
  }

  /** The steps after a client connects. */
  greet(): readonly Step[] {
    const { script, client } = this.#setting
    if (script.refuses?.clients.includes(client)) return this.#fill(script.refuses.with)
    return this.#fill(script.greeting ?? ["220 {host} ESMTP Sandbox"])
  }

  greetEarlyTalker(): readonly Step[] {
    const { earlyTalk } = this.#setting.script
    return earlyTalk ? this.#fill(earlyTalk) : this.greet()
  }

  /** The steps after one command line, given without its line end. */
  answer(line: string): readonly Step[] {
    const verb = /^[A-Za-z]*/.exec(line)![0].toUpperCase()
    switch (verb) {
      case "EHLO":
      case "HELO":
        return this.#hello(verb, line.slice(4).trim())
      case "MAIL":
        return this.#mail(line)
      case "RCPT":
        return this.#rcpt(line)
      case "RSET":
        this.#sender = null
        return ["250 2.0.0 Ok"]
      case "NOOP":
        return ["250 2.0.0 Ok"]
      case "VRFY":
        return ["252 2.5.1 Cannot VRFY user, but will accept message"]
      case "QUIT":
        return ["221 2.0.0 Bye", { act: "close" }]
      case "STARTTLS":
        return this.#setting.script.breaksTls ? ["220 2.0.0 Ready to start TLS"] : ["502 5.5.1 STARTTLS not offered"]
      case "DATA":
        return this.#accepted > 0 ? ["451 4.3.0 This sandbox host keeps no mail"] : ["554 5.5.1 No valid recipients"]
      default:
        return ["500 5.5.2 Command not recognized"]
    }
  }

  #hello(verb: "EHLO" | "HELO", name: string): readonly Step[] {
    const { script, host } = this.#setting
    if (!name) return [`501 5.5.4 Syntax: ${verb} hostname`]
    this.#helo = name
    const scripted = verb === "EHLO" ? script.ehlo : script.helo
    if (scripted) return this.#fill(scripted)
    this.#sender = null
    if (verb === "HELO") return [`250 ${host}`]
    const offered = script.breaksTls ? [...this.extensions, "STARTTLS"] : this.extensions
    return [["250 {host}", ...offered].join("\n").replace("{host}", host)]
  }

  #mail(line: string): readonly Step[] {
    if (!this.#helo) return ["503 5.5.1 Send HELO/EHLO first"]
    if (this.#sender) return ["503 5.5.1 Nested MAIL command"]
    const path = readPath(line)
    if (!path) return ["501 5.5.4 Syntax: MAIL FROM:<address>"]
    const { script } = this.#setting
    if (path.parameters.includes("SMTPUTF8") && !this.extensions.includes("SMTPUTF8"))
      return ["555 5.5.4 Unsupported option: SMTPUTF8"]
    if (script.mail) return this.#fill(script.mail, { sender: path.mailbox })
    this.#sender = path
    this.#accepted = 0
    return ["250 2.1.0 Ok"]
  }

  #rcpt(line: string): readonly Step[] {
    if (!this.#sender) return ["503 5.5.1 Need MAIL command"]
    const path = readPath(line)
    if (!path?.mailbox) return ["501 5.1.3 Bad recipient address syntax"]
    const { domains, client } = this.#setting
    const values = { recipient: path.mailbox, sender: this.#sender.mailbox }
    if (NON_ASCII.test(path.mailbox) && !this.#sender.parameters.includes("SMTPUTF8"))
      return ["553 5.6.7 Non-ASCII addresses need SMTPUTF8"]
    if (!domains.has(path.domain)) return this.#fill([RELAY_DENIED], values)
    const steps = this.#mailbox(path)
    const accepts = typeof steps[0] === "string" && steps[0].startsWith("250")
    if (accepts && this.#setting.script.greylists) {
      const seconds = this.#setting.secondsToWait({ client, ...values })
      if (seconds > 0) return this.#fill([GREYLISTED.replace("{seconds}", String(seconds))], values)
    }
    if (accepts) this.#accepted++
    return this.#fill(steps, values)
  }

  #mailbox({ account }: SmtpPath): readonly Step[] {
    const { mailboxes, bulkMailboxes, otherMailboxes } = this.#setting.script
    if (bulkMailboxes && account.startsWith("user")) return ["250 2.1.5 Ok"]
    return mailboxes?.[account] ?? otherMailboxes ?? [UNKNOWN_USER]
  }

  #fill(steps: readonly Step[], values: Readonly<Record<string, string>> = {}): readonly Step[] {
    const { host, client } = this.#setting
    const known: Readonly<Record<string, string>> = { host, client, helo: this.#helo, ...values }
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole)
    return steps.map((step) => (typeof step === "string" ? fill(step) : step))
  }
}

/** A reply in wire format: code and enhanced code on every line (RFC 2034 §4), a space only on the last. */
export function wireReply(reply: string): string {
  const lines = reply.split("\n")
  const [, code = "", enhanced = ""] = /^(\d{3}) (\d\.\d+\.\d+ )?/.exec(lines[0]!) ?? []
  const texts = lines.map((line, index) => (index === 0 ? line.slice(code.length + 1 + enhanced.length) : line))
  return texts.map((text, index) => `${code}${index < texts.length - 1 ? "-" : " "}${enhanced}${text}\r\n`).join("")
}

/** The mailbox and parameters of a MAIL or RCPT command. */
interface SmtpPath {
  readonly mailbox: string
  /** Local part without quotes and subaddress, in lower case. Identifies a mailbox. */
  readonly account: string
  /** In A-label form. */
  readonly domain: string
  readonly parameters: readonly string[]
}

const COMMAND = /^(?:MAIL FROM|RCPT TO):\s*<((?:"(?:[^"\\]|\\.)*"|[^<>"])*)>((?:\s+\S+)*)\s*$/iu

/** Parses `MAIL FROM:<…> …` and `RCPT TO:<…> …` (RFC 5321 §4.1.2); null when the syntax is invalid. */
export function readPath(line: string): SmtpPath | null {
  const [, mailbox, rest] = COMMAND.exec(line) ?? []
  if (mailbox === undefined) return null
  const at = mailbox.lastIndexOf("@")
  const local = (at < 0 ? mailbox : mailbox.slice(0, at)).replace(/^"(.*)"$/u, "$1")
  return {
    mailbox,
    account: local.toLowerCase().normalize("NFC").split("+", 1)[0]!,
    domain: at < 0 ? "" : domainToASCII(mailbox.slice(at + 1)),
    parameters: (rest ?? "").trim().toUpperCase().split(/\s+/),
  }
}
