import type { RecipientOutcome } from "../../schema/wire/probe.ts"

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
