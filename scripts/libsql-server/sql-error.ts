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

interface EngineError extends Error {
  readonly code: string
  readonly rawCode: number
}

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
  return new SqlError(PRIMARY_CODES[rawCode & 0xff] ?? "SQLITE_UNKNOWN", `SQLite error: ${message}`)
}

function isEngineError(error: unknown): error is EngineError {
  return error instanceof Error && "rawCode" in error && typeof error.rawCode === "number"
}

// https://sqlite.org/rescode.html. sqld uses primary codes only, and SQLITE_UNKNOWN for 1 (SQLITE_ERROR).
const PRIMARY_CODES: Readonly<Record<number, string>> = {
  2: "SQLITE_INTERNAL",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  9: "SQLITE_INTERRUPT",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  12: "SQLITE_NOTFOUND",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  17: "SQLITE_SCHEMA",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  21: "SQLITE_MISUSE",
  22: "SQLITE_NOLFS",
  23: "SQLITE_AUTH",
  25: "SQLITE_RANGE",
  26: "SQLITE_NOTADB",
}
