import type { Trace, TraceEvent } from "../smtp/connection.ts"
import type { ConversationEnd } from "../smtp/conversation-plan.ts"
import { type Colour, paint } from "./paint.ts"

/** One line that went over the wire, or what happened around it. */
export interface TranscriptLine {
  /** Since the transcript began. */
  readonly ms: number
  readonly from: "us" | "server" | "node"
  readonly text: string
}

const MARKS: Readonly<Record<TranscriptLine["from"], string>> = { us: "->", server: "<-", node: "--" }
const COLOURS: Readonly<Record<TranscriptLine["from"], Colour>> = { us: "cyan", server: "reset", node: "gray" }
/** What a terminal would obey. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Writes down what is said in a probe, line by line. */
export class Transcript {
  readonly lines: TranscriptLine[] = []
  readonly #startedAt = performance.now()
  readonly #onLine: (line: TranscriptLine) => void
  #rest: Buffer = Buffer.alloc(0)
  #isClosed = false

  constructor(onLine: (line: TranscriptLine) => void) {
    this.#onLine = onLine
  }

  readonly trace: Trace = (event) => {
    switch (event.kind) {
      case "connect":
        return this.#write("node", `connecting to ${placeText(event.place)}`)
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

  /** What comes now, a goodbye at most, is not written down. */
  close(): void {
    this.#isClosed = true
  }

  #receive(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      this.#write("server", this.#rest.subarray(0, end).toString().replace(/\r$/, ""))
      this.#rest = this.#rest.subarray(end + 1)
    }
  }

  #write(from: TranscriptLine["from"], text: string): void {
    if (this.#isClosed) return
    const line = { ms: Math.round((performance.now() - this.#startedAt) * 10) / 10, from, text: printable(text) }
    this.lines.push(line)
    this.#onLine(line)
  }
}

export function transcriptText({ ms, from, text }: TranscriptLine, coloured: boolean): string {
  return paint(`${ms.toFixed(1).padStart(9)} ms  ${MARKS[from]} ${text}`, COLOURS[from], coloured)
}

/** A server's words are shown as they are, but for what would drive the terminal. */
export function printable(text: string): string {
  return text.replace(CONTROL, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`)
}

function placeText({ mxHost, address, port, sourceIp }: Extract<TraceEvent, { kind: "connect" }>["place"]): string {
  return `${mxHost} [${address}]:${port}${sourceIp === null ? "" : ` from ${sourceIp}`}`
}

function tlsText({ protocol, authorized, problem }: Extract<TraceEvent, { kind: "secured" }>["tls"]): string {
  return `${protocol}, certificate ${authorized ? "good" : `not good: ${problem}`}`
}

function endText(end: ConversationEnd): string {
  if (end.kind === "refused") return `the server ended it at ${end.stage}`
  if (end.kind === "failed") return `failed at ${end.stage}: ${end.failure} (${end.detail})`
  if (end.kind === "slowed") return "left: the server lets us wait longer for each refusal"
  return end.kind === "limit" ? "the server takes no more recipients in this session" : "asked everything"
}
