export type TokenType = "word" | "quoted" | "parameter" | "semicolon" | "open" | "close" | "other"

export interface Token {
  readonly type: TokenType
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
export function* tokens(sql: string): Generator<Token> {
  for (const { groups = {}, index: start, 0: text } of sql.matchAll(ELEMENT)) {
    if (groups.blank !== undefined) continue
    if (groups.word !== undefined) yield { type: "word", text, start }
    else if (groups.quoted !== undefined) yield { type: "quoted", text, start }
    else if (groups.parameter !== undefined) yield { type: "parameter", text, start }
    else yield { type: PUNCTUATION[text] ?? "other", text, start }
  }
}

const PUNCTUATION: Readonly<Record<string, TokenType>> = { ";": "semicolon", "(": "open", ")": "close" }

/** Splits an SQL text at its semicolons, except those inside a trigger. */
export function splitStatements(sql: string): Token[][] {
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
export function keyword(token: Token | undefined): string {
  return token?.type === "word" ? token.text.toUpperCase() : ""
}
