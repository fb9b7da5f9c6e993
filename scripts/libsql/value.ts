import { z } from "zod"
import { ProtocolError } from "./sql-error.ts"

const WireValue = z.discriminatedUnion("type", [
  z.object({ type: z.literal("null") }),
  z.object({ type: z.literal("integer"), value: z.string().regex(/^-?\d{1,19}$/) }),
  z.object({ type: z.literal("float"), value: z.number() }),
  z.object({ type: z.literal("text"), value: z.string() }),
  z.object({ type: z.literal("blob"), base64: z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/) }),
])
type WireValue = z.infer<typeof WireValue>

/** A value as the engine binds and returns it: integers are bigint, a number is always a float. */
export type SqlValue = null | bigint | number | string | Buffer

/** The schema of a value in a request; what comes out is ready to bind. */
export const Value = WireValue.transform(toSql)

function toSql(wire: WireValue): SqlValue {
  switch (wire.type) {
    case "null":
      return null
    case "integer":
      return toInteger(wire.value)
    case "float":
      return wire.value
    case "text":
      return toText(wire.value)
    case "blob":
      return Buffer.from(wire.base64, "base64")
  }
}

function toInteger(digits: string): bigint {
  const value = BigInt(digits)
  if (BigInt.asIntN(64, value) !== value) throw new ProtocolError(`integer ${digits} does not fit into 64 bits`)
  return value
}

/** The value as the protocol writes it: integers as decimal strings, blobs as base64 without padding. */
export function toWire(value: SqlValue): object {
  if (value === null) return { type: "null" }
  if (typeof value === "bigint") return { type: "integer", value: value.toString() }
  if (typeof value === "number") return { type: "float", value }
  if (typeof value === "string") return { type: "text", value: fromText(value) }
  return { type: "blob", base64: value.toString("base64").replace(/=+$/, "") }
}

// The engine's binding reads a text only up to its first NUL, so U+0000 is stored as a pair of a Unicode noncharacter.
const MARK = "\uFDD0"

/** Escapes of JSON: both halves of a surrogate pair, one half, or anything else. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u([dD][89a-fA-F][\da-fA-F]{2})|.)/gs

function toText(text: string): string {
  if (!text.isWellFormed()) throw new ProtocolError("lone surrogate in a text value")
  return wholePairs(text).replace(/[\0\uFDD0]/g, (character) => (character === "\0" ? `${MARK}0` : MARK + MARK))
}

/** Out of half a pair in JSON the engine makes bytes that are no UTF-8, and the binding that reads them ends the process. */
function wholePairs(text: string): string {
  if (!/^[[{]/.test(text) || !/\\u[dD][89a-fA-F]/.test(text)) return text
  return text.replace(ESCAPES, (whole, half?: string) => (half === undefined ? whole : "\\ufffd"))
}

function fromText(text: string): string {
  return text.includes(MARK) ? text.replace(/\uFDD0([0\uFDD0])/g, (_, kind) => (kind === "0" ? "\0" : MARK)) : text
}
