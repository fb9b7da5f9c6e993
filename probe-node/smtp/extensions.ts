import type { RecipientOutcome } from "../../schema/wire/probe.ts"

/** Extension keywords, each on its own line after the greeting line. */
export const STARTTLS = /\nSTARTTLS *$/im
export const PIPELINING = /\nPIPELINING *$/im
export const SMTPUTF8 = /\nSMTPUTF8 *$/im
/** Courier delays each refusal of a session longer: 8 s, 16 s, … (1.0, measured). It gets one command at a time. */
export const COURIER = /\nXVERP=Courier *$/im

/** Outcome for a non-ASCII address at a server without SMTPUTF8. */
export const NO_SMTPUTF8: RecipientOutcome = {
  kind: "failure",
  stage: "mail",
  failure: "smtputf8_unsupported",
  detail: "the server does not offer SMTPUTF8",
  ms: 0,
}

const MAX_EXTENSIONS = 64
const MAX_KNOWN = 500
/** Extensions by EHLO reply, because a server sends each client the same reply. */
const known = new Map<string, string[]>()

/** Extensions in a reply to EHLO: keyword and parameters (RFC 5321 §4.1.1.1). It caches the last replies. */
export function extensionsIn(ehlo: string): string[] {
  const found = known.get(ehlo)
  if (found) return found
  if (known.size >= MAX_KNOWN) known.clear()
  const extensions = parse(ehlo)
  known.set(ehlo, extensions)
  return extensions
}

function parse(ehlo: string): string[] {
  return ehlo
    .split("\n")
    .slice(1, MAX_EXTENSIONS + 1)
    .map(withKeyword)
}

function withKeyword(line: string): string {
  const space = line.indexOf(" ")
  const name = space < 0 ? line : line.slice(0, space)
  return (name.toUpperCase() + line.slice(name.length)).trimEnd().slice(0, 64)
}
