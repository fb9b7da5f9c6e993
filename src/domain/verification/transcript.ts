import type { RecipientOutcome, SmtpReply } from "../../../schema/wire/probe.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { RANDOM_RECIPIENT_LOCAL } from "../smtp-reply/playbooks.ts"
import type { Evidence } from "./evidence.ts"

/** One line of an SMTP conversation. */
export interface TranscriptLine {
  readonly from: "client" | "server"
  readonly text: string
  /** Milliseconds from command to reply; null for a command. */
  readonly ms: number | null
}

const MASK = "***"
const ADDRESS_LIKE = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g

/** Masks every address in a server's text but the verified one. */
export function maskOtherAddresses(text: string, address: ParsedAddress): string {
  const own = address.ok ? address.normalized.toLowerCase() : ""
  return text
    .replace(ADDRESS_LIKE, (found) => {
      const isOwn = found.toLowerCase().replace(/(?<![.!?])[.!?]+$/, "") === own
      return isOwn ? found : `${MASK}@${found.slice(found.indexOf("@") + 1)}`
    })
    .replace(RANDOM_RECIPIENT_LOCAL, MASK)
}

/** The SMTP conversation with the host that answered, in the wording of RFC 5321. Masks the random recipient. */
export function transcriptOf({ address, mailbox }: Evidence): TranscriptLine[] {
  if (!mailbox?.session || !address.ok) return []
  const { session, outcome, control } = mailbox
  const { greeting, ehlo, mail, tls, heloName, envelopeSender } = session
  const command = (text: string): TranscriptLine => ({ from: "client", text, ms: null })
  const reply = (received: SmtpReply): TranscriptLine[] =>
    wireLines(received).map((text) => ({ from: "server", text: maskOtherAddresses(text, address), ms: received.ms }))
  const exchange = (line: string, received: SmtpReply | null) => (received ? [command(line), ...reply(received)] : [])
  const rcpt = (recipient: string, received: RecipientOutcome | null) =>
    received?.kind === "reply" && received.stage === "rcpt" ? exchange(`RCPT TO:<${recipient}>`, received.reply) : []
  return [
    ...(greeting ? reply(greeting) : []),
    ...exchange(`EHLO ${heloName}`, ehlo),
    ...(tls ? [command(`STARTTLS (${tls.protocol})`)] : []),
    ...exchange(`MAIL FROM:<${envelopeSender}>`, mail),
    ...rcpt(address.normalized, outcome),
    ...rcpt(`${MASK}@${address.domain}`, control),
  ]
}

/** Lines as on the wire: "250-first", "250 last". */
function wireLines({ code, text }: SmtpReply): string[] {
  const lines = text.split("\n")
  return lines.map((line, i) =>
    new RegExp(`^${code}[ -]`).test(line) ? line : `${code}${i < lines.length - 1 ? "-" : " "}${line}`,
  )
}
