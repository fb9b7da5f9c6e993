import { SqlError } from "./protocol.ts"

/** One SQL statement and its properties, known before it runs. */
export interface Statement {
  readonly sql: string
  /** INSERT, UPDATE or DELETE: only these report affected rows. */
  readonly isChange: boolean
  readonly isInsert: boolean
  /** It needs SQLite's write lock. */
  readonly isWrite: boolean
  readonly isBegin: boolean
  readonly isForeignKeySwitch: boolean
  /** The number of its parameters. */
  readonly parameters: number
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
  const verb = verbOf(tokens)
  const refused = (why: string) =>
    new SqlError("SQL_PARSE_ERROR", `SQL string could not be parsed: unsupported ${why}: ${sql.slice(0, 200)}`)
  if (isUnsupported(verb, tokens)) throw refused("statement")
  const parameters = tokens.filter(({ type }) => type === "parameter")
  if (parameters.some(({ text: name }) => name !== "?")) throw refused("parameter that is not ?")
  const isChange = CHANGES.has(verb)
  return {
    sql,
    isChange,
    isInsert: isChange && (verb === "INSERT" || verb === "REPLACE"),
    isWrite: !READS.has(verb),
    isBegin: verb === "BEGIN",
    isForeignKeySwitch: verb === "PRAGMA",
    parameters: parameters.length,
  }
}

const CHANGES = new Set(["INSERT", "REPLACE", "UPDATE", "DELETE"])
const TRANSACTION = ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]
const READS = new Set(["SELECT", "VALUES", "PRAGMA", ...TRANSACTION])
/** The package never ends an EXPLAIN, so that later statements would hold their snapshot. */
const UNSUPPORTED = new Set(["EXPLAIN", "ATTACH", "DETACH", "VACUUM", "REINDEX", "ANALYZE"])

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

/**
 * Statements that outlive their request on the connection, or access other files. Of the pragmas only the one that
 * migrations send is allowed.
 */
function isUnsupported(verb: string, body: readonly Token[]): boolean {
  if (UNSUPPORTED.has(verb)) return true
  if (verb === "CREATE") return isTemporary(body)
  return verb === "PRAGMA" && body[1]?.text.toLowerCase() !== "foreign_keys"
}

function isTemporary(body: readonly Token[]): boolean {
  const isInTemp = body.some((token, i) => keyword(token) === "TEMP" && body[i + 1]?.text === ".")
  return isInTemp || /^TEMP(?:ORARY)?$/.test(keyword(body[1]))
}

interface Token {
  readonly type: "word" | "quoted" | "parameter" | "semicolon" | "open" | "close" | "other"
  readonly text: string
  /** Offset of the first character in the SQL text. */
  readonly start: number
}

// One alternative per lexical element (https://sqlite.org/lang_expr.html). Unclosed strings and comments run to the end.
const ELEMENT = new RegExp(
  [
    /(?<blank>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/,
    /(?<quoted>'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$))/,
    /(?<parameter>\?\d*|[:@$][\w$\u0080-\uffff]+(?:::[\w$]+)*(?:\([^\s()]*\))?)/,
    /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<other>\d[\w.]*|[\s\S])/,
  ]
    .map((part) => part.source)
    .join("|"),
  "gy",
)

/** The lexical elements of an SQL text, without whitespace and comments. */
function* tokens(sql: string): Generator<Token> {
  for (const { groups = {}, index: start, 0: text } of sql.matchAll(ELEMENT)) {
    if (groups.blank !== undefined) continue
    const type = (["word", "quoted", "parameter"] as const).find((name) => groups[name] !== undefined)
    yield { type: type ?? PUNCTUATION[text] ?? "other", text, start }
  }
}

const PUNCTUATION: Readonly<Record<string, Token["type"]>> = { ";": "semicolon", "(": "open", ")": "close" }

/** Splits an SQL text at its semicolons, except those inside a trigger. */
function splitStatements(sql: string): Token[][] {
  const statements: Token[][] = []
  let current: Token[] = []
  for (const token of tokens(sql)) {
    if (token.type !== "semicolon" || isInsideTrigger(current)) {
      current.push(token)
    } else {
      if (current.length > 0) statements.push(current)
      current = []
    }
  }
  if (current.length > 0) statements.push(current)
  return statements
}

/** A trigger ends at "; END ;" (the rule of sqlite3_complete()). No semicolon precedes the END of a CASE. */
function isInsideTrigger(current: readonly Token[]): boolean {
  const isTrigger =
    keyword(current[0]) === "CREATE" && current.slice(1, 3).some((token) => keyword(token) === "TRIGGER")
  return isTrigger && !(keyword(current.at(-1)) === "END" && current.at(-2)?.type === "semicolon")
}

/** A word in upper case; empty for other tokens, including quoted names. */
function keyword(token: Token | undefined): string {
  return token?.type === "word" ? token.text.toUpperCase() : ""
}
