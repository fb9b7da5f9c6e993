/** Why a request body is not a list, in the form of the API's 422. */
export interface ListProblem {
  readonly field: readonly (string | number)[]
  readonly msg: string
  readonly type: "json_invalid" | "missing" | "invalid_type" | "too_small" | "too_big"
}

/** The result of reading: every top-level value but the list itself. */
export type ListRead =
  | { readonly ok: true; readonly options: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: ListProblem }

/** Stored length of an address; a longer one is malformed. */
const MAX_ITEM = 1_000
/** Maximum characters of all options together. */
const MAX_OPTIONS = 20_000
const SPACE = /[ \t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
}

type State =
  | "start"
  | "key_or_end"
  | "key"
  | "in_key"
  | "colon"
  | "value"
  | "in_option"
  | "item_or_end"
  | "item"
  | "in_item"
  | "after_item"
  | "after_value"
  | "end"

/** Transitions by the next significant character. */
const NEXT: Partial<Record<State, Readonly<Record<string, State>>>> = {
  start: { "{": "key_or_end" },
  key_or_end: { '"': "in_key", "}": "end" },
  key: { '"': "in_key" },
  colon: { ":": "value" },
  item_or_end: { '"': "in_item", "]": "after_value" },
  item: { '"': "in_item" },
  after_item: { ",": "item", "]": "after_value" },
  after_value: { ",": "key", "}": "end" },
}
/** First characters of all JSON values but arrays. */
const OTHER_VALUE = /["{\dtfn-]/

/**
 * Streaming reader of `{"emails": ["…", …], …options}` (RFC 8259) from text chunks of any size. One pass; memory for one
 * address and the options, so that the list may have any length. Emits the list's strings as they are complete.
 */
export class ListReader {
  readonly #field: string
  #state: State = "start"
  #problem: ListProblem | null = null
  /** The string or option in progress. */
  #text = ""
  #key = ""
  #escape = ""
  #depth = 0
  #inString = false
  #count = 0
  #seen = false
  #optionChars = 0
  readonly #options: [string, unknown][] = []

  constructor(field: string) {
    this.#field = field
  }

  /** Reads one piece. @returns the list's strings that end in it; none after a problem */
  push(piece: string): string[] {
    const items: string[] = []
    for (let at = 0; at < piece.length && !this.#problem; ) at = this.#step(piece, at, items)
    return items
  }

  /** An option that was read before this point. */
  option(name: string): unknown {
    return this.#options.find(([key]) => key === name)?.[1]
  }

  /** Whether a problem ended the reading. */
  get failed(): boolean {
    return this.#problem !== null
  }

  end(): ListRead {
    if (!this.#problem && this.#state !== "end") this.#fail([], "the body is not well-formed JSON", "json_invalid")
    if (!this.#problem && !this.#seen) this.#fail([this.#field], "is required", "missing")
    if (!this.#problem && this.#count === 0) this.#fail([this.#field], "must have at least one address", "too_small")
    return this.#problem
      ? { ok: false, problem: this.#problem }
      : { ok: true, options: Object.fromEntries(this.#options) }
  }

  /** Consumes part of the piece. @returns the next position */
  #step(piece: string, at: number, items: string[]): number {
    if (this.#state === "in_item" || this.#state === "in_key") return this.#readString(piece, at, items)
    if (this.#state === "in_option") return this.#readOption(piece, at)
    const char = piece[at]!
    if (SPACE.test(char)) return at + 1
    this.#punctuation(char)
    // The first character of an option belongs to it.
    return this.#is("in_option") ? at : at + 1
  }

  #punctuation(char: string): void {
    if (this.#state === "value") this.#beginValue(char)
    else {
      const next = NEXT[this.#state]?.[char]
      if (next) this.#begin(next)
      else this.#refuse(char)
    }
  }

  #beginValue(char: string): void {
    if (this.#key !== this.#field) this.#begin("in_option")
    else if (this.#seen) this.#fail([this.#field], "must not occur twice", "invalid_type")
    else if (char === "[") {
      this.#seen = true
      this.#begin("item_or_end")
    } else if (OTHER_VALUE.test(char)) this.#fail([this.#field], "must be an array of strings", "invalid_type")
    else this.#malformed()
  }

  /** Distinguishes a JSON value of the wrong type from malformed JSON. */
  #refuse(char: string): void {
    const isValue = OTHER_VALUE.test(char) || char === "["
    if (this.#state === "start" && isValue) this.#fail([], "must be an object", "invalid_type")
    else if (isValue && (this.#state === "item" || this.#state === "item_or_end"))
      this.#fail([this.#field, this.#count], "must be a string", "invalid_type")
    else this.#malformed()
  }

  #readString(piece: string, at: number, items: string[]): number {
    if (this.#escape !== "") return this.#readEscape(piece, at)
    let end = at
    for (; end < piece.length; end++) {
      const code = piece.charCodeAt(end)
      if (code === 0x22 || code === 0x5c || code < 0x20) break
    }
    this.#append(piece.slice(at, end))
    if (end === piece.length) return end
    const char = piece[end]!
    if (char === "\\") this.#escape = "\\"
    else if (char === '"') this.#endString(items)
    else this.#malformed()
    return end + 1
  }

  #readEscape(piece: string, at: number): number {
    const char = piece[at]!
    if (this.#escape === "\\" && char !== "u") {
      const plain = ESCAPES[char]
      if (plain === undefined) this.#malformed()
      else this.#append(plain)
      this.#escape = ""
    } else {
      this.#escape += char
      if (this.#escape.length > 2 && !/[0-9a-fA-F]/.test(char)) this.#malformed()
      if (this.#escape.length === 6) {
        this.#append(String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16)))
        this.#escape = ""
      }
    }
    return at + 1
  }

  #endString(items: string[]): void {
    if (this.#state === "in_key") {
      this.#key = this.#text
      this.#begin("colon")
    } else {
      this.#count++
      items.push(this.#text)
      this.#begin("after_item")
    }
  }

  #append(text: string): void {
    if (this.#text.length < MAX_ITEM) this.#text += text.slice(0, MAX_ITEM)
    if (this.#state === "in_key" && this.#text.length >= MAX_ITEM)
      this.#fail([], `has a field name of more than ${MAX_ITEM} characters`, "too_big")
  }

  /** Reads any other value whole, up to a limit, and parses it with JSON.parse. */
  #readOption(piece: string, at: number): number {
    let end = at
    for (; end < piece.length && !this.#endsOption(piece[end]!); end++) this.#follow(piece[end]!)
    this.#text += piece.slice(at, end)
    this.#optionChars += end - at
    if (this.#optionChars > MAX_OPTIONS)
      this.#fail([this.#key.slice(0, 100)], `is too long (all options: at most ${MAX_OPTIONS} characters)`, "too_big")
    else if (end < piece.length) this.#endOption()
    return end
  }

  #endsOption(char: string): boolean {
    return !this.#inString && this.#depth === 0 && (char === "," || char === "}") && this.#escape === ""
  }

  #follow(char: string): void {
    if (this.#inString) {
      if (this.#escape !== "") this.#escape = ""
      else if (char === "\\") this.#escape = "\\"
      else if (char === '"') this.#inString = false
    } else if (char === '"') this.#inString = true
    else if (char === "[" || char === "{") this.#depth++
    else if (char === "]" || char === "}") this.#depth--
  }

  #endOption(): void {
    try {
      this.#options.push([this.#key, JSON.parse(this.#text)])
      this.#begin("after_value")
    } catch {
      this.#malformed()
    }
  }

  #begin(state: State): void {
    this.#text = ""
    this.#depth = 0
    this.#inString = false
    this.#state = state
  }

  #is(state: State): boolean {
    return this.#state === state
  }

  #malformed(): void {
    this.#fail([], "the body is not well-formed JSON", "json_invalid")
  }

  #fail(loc: readonly (string | number)[], msg: string, type: ListProblem["type"]): void {
    this.#problem ??= { field: loc, msg, type }
  }
}
