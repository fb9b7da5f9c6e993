import { isPragmaAllowed } from "./pragmas.ts"
import { SqlError } from "./sql-error.ts"
import { keyword, splitStatements, type Token } from "./sql-tokens.ts"

/** One SQL statement and its properties, known before it runs. */
export interface Statement {
  readonly sql: string
  readonly isExplain: boolean
  /** INSERT, UPDATE or DELETE: only these report affected rows. */
  readonly isChange: boolean
  readonly isInsert: boolean
  readonly isReadonly: boolean
  /** It needs SQLite's write lock from the start. */
  readonly takesWriteLock: boolean
  /** BEGIN IMMEDIATE or EXCLUSIVE. */
  readonly isLockingBegin: boolean
  readonly isForeignKeySwitch: boolean
  /** Parameter names by index, from 0; null for a plain "?". */
  readonly parameters: readonly (string | null)[]
}

const MAX_CACHED = 1_000
const MAX_CACHED_LENGTH = 20_000
const cache = new Map<string, readonly Statement[]>()

/** The statements of an SQL text. @throws SqlError for a statement that sqld rejects too */
export function parseStatements(sql: string): readonly Statement[] {
  const known = cache.get(sql)
  if (known) return known
  if (sql.includes("\0"))
    throw new SqlError("SQL_PARSE_ERROR", "SQL string could not be parsed: unexpected NUL character")
  const statements = splitStatements(sql).map((tokens) => statementOf(sql, tokens))
  if (sql.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!)
    cache.set(sql, statements)
  }
  return statements
}

/** The only statement of an SQL text. @throws SqlError when there is none or more than one */
export function parseStatement(sql: string): Statement {
  const [statement, ...more] = parseStatements(sql)
  if (!statement) throw new SqlError("SQL_NO_STATEMENT", "SQL string does not contain any statement")
  if (more.length > 0) throw new SqlError("SQL_MANY_STATEMENTS", "SQL string contains more than one statement")
  return statement
}

function statementOf(text: string, tokens: readonly Token[]): Statement {
  const last = tokens.at(-1)!
  const sql = text.slice(tokens[0]!.start, last.start + last.text.length)
  const isExplain = keyword(tokens[0]) === "EXPLAIN"
  const body = isExplain ? tokens.slice(keyword(tokens[1]) === "QUERY" ? 3 : 1) : tokens
  const verb = verbOf(body)
  if (isUnsupported(verb, body)) {
    throw new SqlError("SQL_PARSE_ERROR", `SQL string could not be parsed: unsupported statement: ${sql.slice(0, 200)}`)
  }
  const isChange = !isExplain && CHANGES.has(verb)
  const isReadonly = isExplain || READS.has(verb)
  const isLockingBegin = verb === "BEGIN" && LOCKING_BEGIN.has(keyword(body[1]))
  return {
    sql,
    isExplain,
    isChange,
    isInsert: isChange && (verb === "INSERT" || verb === "REPLACE"),
    isReadonly: isReadonly || verb === "BEGIN",
    takesWriteLock: !isReadonly && (verb === "BEGIN" ? isLockingBegin : verb !== "PRAGMA" || isPragmaWrite(body)),
    isLockingBegin,
    isForeignKeySwitch: verb === "PRAGMA" && body.some((token) => /foreign_keys/i.test(token.text)),
    parameters: parametersOf(tokens),
  }
}

const CHANGES = new Set(["INSERT", "REPLACE", "UPDATE", "DELETE"])
const READS = new Set(["SELECT", "VALUES", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"])
const LOCKING_BEGIN = new Set(["IMMEDIATE", "EXCLUSIVE"])
const UNSUPPORTED = new Set(["ATTACH", "DETACH", "VACUUM", "REINDEX", "ANALYZE"])

/** The keyword that names the action: after WITH, the first verb outside parentheses. */
function verbOf(tokens: readonly Token[]): string {
  const first = keyword(tokens[0])
  if (first !== "WITH") return first
  let depth = 0
  for (const token of tokens) {
    if (token.type === "open") depth++
    else if (token.type === "close") depth--
    else if (depth === 0 && (CHANGES.has(keyword(token)) || /^(?:SELECT|VALUES)$/.test(keyword(token))))
      return keyword(token)
  }
  return first
}

/** Statements that outlive their stream on a shared connection, or access other files. sqld rejects the same. */
function isUnsupported(verb: string, body: readonly Token[]): boolean {
  if (UNSUPPORTED.has(verb)) return true
  if (verb === "CREATE") return isTemporary(body)
  if (verb !== "PRAGMA") return false
  const { name, hasArgument } = pragmaOf(body)
  return !isPragmaAllowed(name, hasArgument)
}

function isTemporary(body: readonly Token[]): boolean {
  const isInTemp = body.some((token, i) => keyword(token) === "TEMP" && body[i + 1]?.text === ".")
  return isInTemp || /^TEMP(?:ORARY)?$/.test(keyword(body[1]))
}

/** Of the allowed pragmas only this one writes to the file. */
function isPragmaWrite(body: readonly Token[]): boolean {
  const { name, hasArgument } = pragmaOf(body)
  return name === "user_version" && hasArgument
}

function pragmaOf(body: readonly Token[]): { name: string; hasArgument: boolean } {
  const at = body[2]?.text === "." ? 3 : 1
  return { name: (body[at]?.text ?? "").toLowerCase(), hasArgument: body.length > at + 1 }
}

/** Numbers the parameters as SQLite does: "?" is one above the highest, "?n" is n, a repeated name has one number. */
function parametersOf(tokens: readonly Token[]): (string | null)[] {
  const names: (string | null)[] = []
  for (const { type, text } of tokens) {
    if (type !== "parameter") continue
    if (text === "?") names.push(null)
    else if (text.startsWith("?")) {
      const index = Number(text.slice(1))
      if (index > MAX_PARAMETER) continue
      while (names.length < index) names.push(null)
      names[index - 1] ??= text
    } else if (!names.includes(text)) names.push(text)
  }
  return names
}

/** SQLITE_MAX_VARIABLE_NUMBER of the engine. Preparing a statement with more fails. */
const MAX_PARAMETER = 32_766
