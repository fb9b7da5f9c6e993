import type { RecipientOutcome } from "../../schema/wire/probe.ts"

/** A keyword on a line of its own, behind the first line, which is a greeting. */
export const STARTTLS = /\nSTARTTLS *$/im
export const PIPELINING = /\nPIPELINING *$/im
export const SMTPUTF8 = /\nSMTPUTF8 *$/im
/** Courier makes a client wait longer for each refusal of a session: 8 s, 16 s, … (1.0, measured). It is asked one by one. */
export const COURIER = /\nXVERP=Courier *$/im

/** What an address beyond ASCII hears where SMTPUTF8 is not offered. */
export const NO_SMTPUTF8: RecipientOutcome = {
  kind: "failure",
  stage: "mail",
  failure: "smtputf8_unsupported",
  detail: "the server does not offer SMTPUTF8",
  ms: 0,
}

const MAX_EXTENSIONS = 64

/** What an answer to EHLO offers: keyword and parameters (RFC 5321 §4.1.1.1). */
export function extensionsIn(ehlo: string): string[] {
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
