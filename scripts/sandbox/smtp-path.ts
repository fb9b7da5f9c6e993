import { domainToASCII } from "node:url"

/** The mailbox and parameters of a MAIL or RCPT command. */
export interface SmtpPath {
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
    account: local.toLowerCase().normalize("NFC").replace(/\+.*$/u, ""),
    domain: at < 0 ? "" : domainToASCII(mailbox.slice(at + 1)),
    parameters: (rest ?? "").trim().toUpperCase().split(/\s+/),
  }
}
