import { styleText } from "node:util"
import type { Trace, TraceEvent } from "../smtp/connection.ts"
import type { ConversationEnd } from "../smtp/mail-transactions.ts"
import type { Endpoint } from "../smtp/route.ts"

export type Color = Parameters<typeof styleText>[0]

/** Color only on a terminal, and never when NO_COLOR is set (https://no-color.org). */
export function wantsColor(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb"
}

export function paint(text: string, color: Color, colored: boolean): string {
  return colored ? styleText(color, text, { validateStream: false }) : text
}

/** One line of the SMTP session, or an event of the connection. */
export interface TranscriptLine {
  /** Time since the start of the transcript, in ms. */
  readonly ms: number
  readonly from: "us" | "server" | "node"
  readonly text: string
}

const MARKS: Readonly<Record<TranscriptLine["from"], string>> = { us: "->", server: "<-", node: "--" }
const COLORS: Readonly<Record<TranscriptLine["from"], Color>> = { us: "cyan", server: "reset", node: "gray" }
/** Control characters that a terminal would interpret. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Records the SMTP session of a probe, line by line. */
export class Transcript {
  readonly lines: TranscriptLine[] = []
  readonly #startedAt = performance.now()
  readonly #onLine: (line: TranscriptLine) => void
  #rest: Buffer = Buffer.alloc(0)

  constructor(onLine: (line: TranscriptLine) => void) {
    this.#onLine = onLine
  }

  readonly trace: Trace = (event) => {
    switch (event.kind) {
      case "connect":
        return this.#write("node", `connecting to ${endpointText(event.endpoint)}`)
      case "connected":
        return this.#write("node", "connected")
      case "sent":
        for (const line of event.text.split("\r\n").slice(0, -1)) this.#write("us", line)
        return
      case "received":
        return this.#receive(event.bytes)
      case "secured":
        return this.#write("node", tlsText(event.tls))
      case "over":
        if (this.#rest.length > 0) this.#receive(Buffer.from("\n"))
        return this.#write("node", endText(event.end))
    }
  }

  #receive(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      this.#write("server", this.#rest.subarray(0, end).toString().replace(/\r$/, ""))
      this.#rest = this.#rest.subarray(end + 1)
    }
  }

  #write(from: TranscriptLine["from"], text: string): void {
    const line = { ms: Math.round((performance.now() - this.#startedAt) * 10) / 10, from, text: printable(text) }
    this.lines.push(line)
    this.#onLine(line)
  }
}

export function transcriptText({ ms, from, text }: TranscriptLine, colored: boolean): string {
  return paint(`${ms.toFixed(1).padStart(9)} ms  ${MARKS[from]} ${text}`, COLORS[from], colored)
}

/** Escapes control characters in a server's text for display. */
export function printable(text: string): string {
  return text.replace(CONTROL, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`)
}

function endpointText({ mxHost, address, port, sourceIp }: Endpoint): string {
  return `${mxHost} [${address}]:${port}${sourceIp === null ? "" : ` from ${sourceIp}`}`
}

function tlsText({ protocol, authorized, problem }: Extract<TraceEvent, { kind: "secured" }>["tls"]): string {
  return `${protocol}, certificate ${authorized ? "valid" : `invalid: ${problem}`}`
}

function endText(end: ConversationEnd): string {
  if (end.kind === "refused") return `the server ended the session at ${end.stage}`
  if (end.kind === "failed") return `failed at ${end.stage}: ${end.failure} (${end.detail})`
  if (end.kind === "slowed") return "left: the server delays each refusal longer"
  return end.kind === "limit" ? "the server accepts no more recipients in this session" : "all recipients probed"
}
