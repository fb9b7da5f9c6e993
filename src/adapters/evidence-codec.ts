import { Buffer } from "node:buffer"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { Evidence, StoredEvidence } from "../domain/verification/evidence.ts"
import { DICTIONARY_1 } from "./evidence-dictionary.ts"

/**
 * The compact text of evidence, in `results` and in the edge cache. Version 1 is "1" and the base64 text of raw
 * DEFLATE (RFC 1951) of the JSON, with a preset dictionary. A version stays readable as long as results may have it.
 */
const VERSION_1 = "1"
/** Several times the longest line of a probe node. The limit protects the memory of the isolate. */
const MAX_BYTES = 4_000_000

const dictionary = Buffer.from(DICTIONARY_1)

/** Evidence goes to the database and to the edge. Nothing changes it after it was gathered. */
const packed = new WeakMap<StoredEvidence, string>()

/** The text to store. The address and its list classes are derived again from the address when it is read. */
export function packEvidence(evidence: StoredEvidence): string {
  const known = packed.get(evidence)
  if (known !== undefined) return known
  const { address: _, lists: __, ...stored } = evidence as Evidence
  const text = VERSION_1 + deflateRawSync(JSON.stringify(stored), { dictionary }).toString("base64")
  packed.set(evidence, text)
  return text
}

/** Reads stored evidence. Text that begins with "{" is plain JSON. @throws Error for a damaged or too long text */
export function unpackEvidence(text: string): StoredEvidence {
  if (text.startsWith("{")) return JSON.parse(text) as StoredEvidence
  if (!text.startsWith(VERSION_1)) throw new Error(`stored evidence of an unknown version: ${text.slice(0, 8)}`)
  const bytes = Buffer.from(text.slice(1), "base64")
  return JSON.parse(inflateRawSync(bytes, { dictionary, maxOutputLength: MAX_BYTES }).toString()) as StoredEvidence
}
