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

/** A value as the engine binds and returns it: integers are bigint, numbers are floats. */
export type SqlValue = null | bigint | number | string | Buffer

/** The schema of a value in a request. Its output can be bound. */
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

// The engine reads bound text only up to its first NUL, so U+0000 is stored as a pair that starts with a noncharacter.
const MARK = "\uFDD0"

/** JSON escapes: a surrogate pair, a lone surrogate, or any other. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u([dD][89a-fA-F][\da-fA-F]{2})|.)/gs

/** The text as the file stores it. @throws ProtocolError for a lone surrogate */
export function toText(text: string): string {
  if (!text.isWellFormed()) throw new ProtocolError("lone surrogate in a text value")
  return wholePairs(text).replace(/[\0\uFDD0]/g, (character) => (character === "\0" ? `${MARK}0` : MARK + MARK))
}

/** Replaces lone surrogates in JSON. The engine turns them into invalid UTF-8, which crashes the process when read. */
function wholePairs(text: string): string {
  if (!/^[[{]/.test(text) || !/\\u[dD][89a-fA-F]/.test(text)) return text
  return text.replace(ESCAPES, (whole, half?: string) => (half === undefined ? whole : "\\ufffd"))
}

/** The text that `toText` was given. */
export function fromText(text: string): string {
  return text.includes(MARK) ? text.replace(/\uFDD0([0\uFDD0])/g, (_, kind) => (kind === "0" ? "\0" : MARK)) : text
}
