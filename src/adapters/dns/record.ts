import type { Answer } from "dns-packet"
import type { RecordType, RecordTypes } from "./answer.ts"

/** A host name of letters, digits, hyphens and underscores: safe for a node, a log or a URL. */
const HOST = /^(?!.{254})[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** The data of one record in the form of its type; null when the data is invalid. */
export function readRecord<T extends RecordType>(answer: Answer, type: T): RecordTypes[T] | null {
  const readers: { [Type in RecordType]: (answer: Answer) => RecordTypes[Type] | null } = {
    A: text,
    AAAA: text,
    MX: mailExchange,
    TXT: joinedStrings,
    CNAME: hostName,
    PTR: hostName,
    NS: hostName,
  }
  return readers[type](answer)
}

function text(answer: Answer): string | null {
  return "data" in answer && typeof answer.data === "string" ? answer.data : null
}

function hostName(answer: Answer): string | null {
  return asHost(text(answer))
}

function mailExchange(answer: Answer) {
  if (answer.type !== "MX") return null
  const host = answer.data.exchange === "." ? "." : asHost(answer.data.exchange)
  return host === null ? null : { host, preference: answer.data.preference ?? 0 }
}

/** The strings are octets of one text, so a character may be split between two strings. */
function joinedStrings(answer: Answer): string | null {
  if (answer.type !== "TXT") return null
  const strings = Array.isArray(answer.data) ? answer.data : [answer.data]
  const decoder = new TextDecoder()
  return strings.map((part) => (typeof part === "string" ? part : decoder.decode(part, { stream: true }))).join("")
}

function asHost(name: string | null): string | null {
  const host = name?.toLowerCase() ?? ""
  return HOST.test(host) ? host : null
}
