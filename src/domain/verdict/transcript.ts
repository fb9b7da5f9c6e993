import type { RecipientOutcome, SmtpReply } from "../../../schema/wire/probe.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { Evidence } from "./evidence.ts"
import { SIBLING_LOCAL } from "./sibling.ts"

/** One line of an SMTP conversation. */
export interface TranscriptLine {
  readonly from: "client" | "server"
  readonly text: string
  /** Milliseconds from command to reply; null for a command. */
  readonly ms: number | null
}

const MASK = "***"
const ADDRESS_LIKE = /[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g

/** A server's words with every address but the one asked about masked: the random recipient's and other people's. */
export function hideOthers(text: string, address: ParsedAddress): string {
  const own = address.ok ? address.normalized.toLowerCase() : ""
  return text
    .replace(ADDRESS_LIKE, (found) => (isOwn(found, own) ? found : `${MASK}@${found.slice(found.indexOf("@") + 1)}`))
    .replace(SIBLING_LOCAL, MASK)
}

function isOwn(found: string, own: string): boolean {
  return found.toLowerCase().replace(/[.!?]+$/, "") === own
}

/**
 * The conversation with the host that answered, as far as the node reports it. Commands are written as the protocol
 * words them (RFC 5321); the random recipient is masked.
 */
export function transcriptOf({ address, mailbox }: Evidence): TranscriptLine[] {
  if (!mailbox?.session || !address.ok) return []
  const { session, outcome, control } = mailbox
  const { greeting, ehlo, mail, tls, heloName, envelopeSender } = session
  const command = (text: string): TranscriptLine => ({ from: "client", text, ms: null })
  const reply = (given: SmtpReply): TranscriptLine[] =>
    wireLines(given).map((text) => ({ from: "server", text: hideOthers(text, address), ms: given.ms }))
  const said = (line: string, given: SmtpReply | null) => (given ? [command(line), ...reply(given)] : [])
  const asked = (recipient: string, given: RecipientOutcome | null) =>
    given?.kind === "reply" && given.stage === "rcpt" ? said(`RCPT TO:<${recipient}>`, given.reply) : []
  return [
    ...(greeting ? reply(greeting) : []),
    ...said(`EHLO ${heloName}`, ehlo),
    ...(tls ? [command(`STARTTLS (${tls.protocol})`)] : []),
    ...said(`MAIL FROM:<${envelopeSender}>`, mail),
    ...asked(address.normalized, outcome),
    ...asked(`${MASK}@${address.domain}`, control),
  ]
}

/** Lines as they stood on the wire: "250-first", "250 last". */
function wireLines({ code, text }: SmtpReply): string[] {
  const lines = text.split("\n")
  return lines.map((line, i) =>
    new RegExp(`^${code}[ -]`).test(line) ? line : `${code}${i < lines.length - 1 ? "-" : " "}${line}`,
  )
}
