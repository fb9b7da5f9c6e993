import { z } from "zod"

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

function toSql(wire: WireValue): SqlValue {
  switch (wire.type) {
    case "null":
      return null
    case "integer":
      if (BigInt.asIntN(64, BigInt(wire.value)) === BigInt(wire.value)) return BigInt(wire.value)
      throw new ProtocolError(`integer ${wire.value} does not fit into 64 bits`)
    case "float":
      return wire.value
    case "text":
      return toText(wire.value)
    case "blob":
      return Buffer.from(wire.base64, "base64")
  }
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

// The part of Hrana 2 over HTTP in JSON that `@libsql/client/web` sends without interactive transactions:
// https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md

const sql = z.string().nullish()
const sqlId = z.int32().nullish()

const Stmt = z.object({
  sql,
  sql_id: sqlId,
  args: z.array(WireValue.transform(toSql)).nullish(),
  want_rows: z.boolean().nullish(),
})

const Condition = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ok"), step: z.int().nonnegative() }),
  z.object({
    type: z.literal("not"),
    get cond(): z.ZodType<BatchCondition> {
      return Condition
    },
  }),
])

const Batch = z.object({ steps: z.array(z.object({ condition: Condition.nullish(), stmt: Stmt })) })

const PipelineRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("execute"), stmt: Stmt }),
  z.object({ type: z.literal("batch"), batch: Batch }),
  z.object({ type: z.literal("sequence"), sql, sql_id: sqlId }),
  z.object({ type: z.literal("store_sql"), sql_id: z.int32(), sql: z.string() }),
  z.object({ type: z.literal("close_sql"), sql_id: z.int32() }),
  z.object({ type: z.literal("close") }),
])

const Pipeline = z.object({ baton: z.null().optional(), requests: z.array(PipelineRequest) })

export type BatchCondition = { type: "ok"; step: number } | { type: "not"; cond: BatchCondition }
export type WireStmt = z.infer<typeof Stmt>
export type WireBatch = z.infer<typeof Batch>
export type PipelineRequest = z.infer<typeof PipelineRequest>

/**
 * Parses the body of a pipeline.
 * @returns its requests
 * @throws ProtocolError that names the invalid field, or that the pipeline does not end with its last request: it would
 *   be an interactive transaction
 */
export function parsePipeline(body: string): readonly PipelineRequest[] {
  const parsed = Pipeline.safeParse(parseJson(body))
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw new ProtocolError(`Cannot deserialize client message from JSON: ${message} at ${path.join(".")}`)
  }
  const { requests } = parsed.data
  if (requests.at(-1)?.type === "close") return requests
  throw new ProtocolError("interactive transactions are not supported: send a transaction as one batch")
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new ProtocolError(`Cannot deserialize client message from JSON: ${(error as Error).message}`)
  }
}

/** A statement failed. Clients read the code, so it is a code of sqld. */
export class SqlError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The request violates the protocol: the server answers 400. */
export class ProtocolError extends Error {}

/** @throws the error itself when it is not an engine error */
export function sqlErrorFrom(error: unknown, sql = ""): SqlError {
  if (error instanceof SqlError) return error
  if (!isEngineError(error)) throw error
  const { message, rawCode } = error
  if (/: syntax error$|^unrecognized token|^incomplete input/.test(message)) {
    return new SqlError("SQL_PARSE_ERROR", `SQL string could not be parsed: ${message}`)
  }
  const offset = sql.indexOf(/^no such (?:column|function): (?:.*\.)?(.+)$/.exec(message)?.[1] ?? "\0")
  if (offset >= 0) return new SqlError("SQL_INPUT_ERROR", `SQL input error: ${message} (at offset ${offset})`)
  return new SqlError(`SQLITE_${PRIMARY_CODES[rawCode & 0xff] ?? "UNKNOWN"}`, `SQLite error: ${message}`)
}

function isEngineError(error: unknown): error is Error & { readonly rawCode: number } {
  return error instanceof Error && "rawCode" in error && typeof error.rawCode === "number"
}

// https://sqlite.org/rescode.html, in the order of the numbers from 0. sqld uses primary codes only, and SQLITE_UNKNOWN for
// 1 (SQLITE_ERROR). SQLite does not use 16 and 24.
const PRIMARY_CODES = (
  "UNKNOWN UNKNOWN INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN " +
  "PROTOCOL UNKNOWN SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH UNKNOWN RANGE NOTADB"
).split(" ")
