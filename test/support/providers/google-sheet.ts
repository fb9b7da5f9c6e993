import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createContext, runInContext } from "node:vm"

const SCRIPT = readFileSync(new URL("../../../src/sheets/mailverdict.js", import.meta.url), "utf8")

type Row = unknown[]
type Functions = Record<string, (...given: unknown[]) => unknown>
interface FetchOptions {
  readonly method?: string
  readonly contentType?: string
  readonly payload?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A sheet in a fake of the services of Google Apps Script that the script uses. Requests reach the real service. */
export class GoogleSheet {
  /** Rows of cells, the header first. */
  readonly cells: Row[]
  /** Column of the selected range, from 1. */
  selected = 1
  /** ms that the clock advances beyond each sleep. */
  overslept = 0
  /** Answers of the user to prompts. */
  answers: string[] = []
  readonly requests: { path: string; body: string }[] = []
  readonly messages: string[] = []
  readonly menu: string[][] = []
  /** Functions that a trigger will call. */
  triggers: string[] = []
  readonly userProperties: Record<string, string> = {}
  #now = Date.now()
  readonly #script: Functions

  constructor(cells: Row[]) {
    this.cells = cells
    this.#script = createContext(this.#services()) as Functions
    runInContext(SCRIPT, this.#script)
  }

  /** Calls a function of the script, as its menu, a trigger or a cell does. */
  run(name: string, ...given: unknown[]): unknown {
    return this.#script[name]!(...given)
  }

  /** Runs the triggers, and those that they create, at most 200. */
  runTriggers(): void {
    for (let runs = 0; runs < 200 && this.triggers.length > 0; runs++) this.run(this.triggers[0]!)
  }

  advance(ms: number): void {
    this.#now += ms
  }

  /** Texts of the bodies that were uploaded as lists. */
  get uploads(): string[] {
    return this.requests.filter(({ path }) => path.startsWith("/bulk/upload")).map(({ body }) => body)
  }

  range(row: number, column: number, rows = 1, columns = 1) {
    const at = (value: (row: Row, index: number) => unknown) =>
      Array.from({ length: rows }, (_, y) => {
        while (this.cells.length < row + y) this.cells.push([])
        const cells = this.cells[row - 1 + y]!
        return Array.from({ length: columns }, (_, x) => {
          while (cells.length < column + x) cells.push("")
          return value(cells, column - 1 + x)
        })
      })
    const write = (values: readonly Row[]) => {
      if (values.length !== rows || values.some((one) => one.length !== columns))
        throw new Error("The number of rows or columns in the data does not match the range")
      values.forEach((line, y) => {
        at((cells, index) => cells[index])
        line.forEach((value, x) => {
          this.cells[row - 1 + y]![column - 1 + x] = value
        })
      })
    }
    const same = (value: unknown) => Array.from({ length: rows }, () => Array<unknown>(columns).fill(value))
    return {
      getSheet: () => this.#sheet(),
      getRow: () => row,
      getLastRow: () => row + rows - 1,
      getColumn: () => column,
      getLastColumn: () => column + columns - 1,
      getValues: () => at((cells, index) => cells[index] ?? ""),
      setValues: write,
      setValue: (value: unknown) => write(same(value)),
      clearContent: () => write(same("")),
    }
  }

  #sheet() {
    const filled = (row: Row) => row.findLastIndex((cell) => cell !== "") + 1
    return {
      getSheetId: () => 1,
      getLastRow: () => this.cells.findLastIndex((row) => filled(row) > 0) + 1,
      getLastColumn: () => Math.max(0, ...this.cells.map(filled)),
      getRange: (...given: [number, number, number?, number?]) => this.range(...given),
      getActiveRange: () => this.range(2, this.selected),
    }
  }

  #services(): Record<string, unknown> {
    const sheet = this
    const sheets = { getSheets: () => [this.#sheet()], toast: (message: string) => this.messages.push(message) }
    const cached = new Map<string, string>()
    return {
      SpreadsheetApp: {
        getActive: () => sheets,
        getActiveSheet: () => this.#sheet(),
        getUi: () => this.#ui(),
      },
      PropertiesService: {
        getUserProperties: () => ({
          getProperty: (name: string) => this.userProperties[name] ?? null,
          getProperties: () => ({ ...this.userProperties }),
          setProperty: (name: string, value: string) => Object.assign(this.userProperties, { [name]: value }),
          setProperties: (values: object) => Object.assign(this.userProperties, values),
          deleteProperty: (name: string) => delete this.userProperties[name],
        }),
      },
      CacheService: {
        getScriptCache: () => ({
          get: (name: string) => cached.get(name) ?? null,
          put: (name: string, value: string) => cached.set(name, value),
        }),
      },
      LockService: { getDocumentLock: () => ({ tryLock: () => true, releaseLock: () => undefined }) },
      ScriptApp: {
        newTrigger: (name: string) => ({
          timeBased: () => ({ after: () => ({ create: () => this.triggers.push(name) }) }),
        }),
        getProjectTriggers: () => this.triggers.map((name) => ({ getHandlerFunction: () => name })),
        deleteTrigger: () => this.triggers.pop(),
      },
      UrlFetchApp: { fetch: (url: string, options: FetchOptions) => this.#fetch(url, options) },
      Utilities: {
        DigestAlgorithm: { SHA_256: "sha256" },
        Charset: { UTF_8: "utf8" },
        sleep: (ms: number) => this.advance(ms + this.overslept),
        computeDigest: (algorithm: string, text: string) => [...createHash(algorithm).update(text).digest()],
        base64EncodeWebSafe: (value: string | number[]) =>
          Buffer.from(value as string)
            .toString("base64")
            .replaceAll("+", "-")
            .replaceAll("/", "_"),
      },
      Date: class extends Date {
        constructor(...given: [] | [string | number]) {
          super(given[0] ?? sheet.#now)
        }
        static override now() {
          return sheet.#now
        }
      },
    }
  }

  #ui() {
    const menu = {
      addItem: (title: string, name: string) => {
        this.menu.push([title, name])
        return menu
      },
      addSeparator: () => menu,
      addToUi: () => undefined,
    }
    return {
      ButtonSet: { OK_CANCEL: "OK_CANCEL" },
      Button: { OK: "OK" },
      createMenu: () => menu,
      alert: (message: string) => this.messages.push(message),
      prompt: () => {
        const answer = this.answers.shift()
        return { getSelectedButton: () => (answer === undefined ? "CANCEL" : "OK"), getResponseText: () => answer }
      },
    }
  }

  /** Apps Script waits for an answer, so this does, too. The service runs in another process. */
  #fetch(url: string, { method = "get", contentType, payload = "", headers = {} }: FetchOptions) {
    const sent = Object.entries({ ...headers, ...(contentType ? { "Content-Type": contentType } : {}) })
    const given = sent.flatMap(([name, value]) => ["-H", `${name}: ${value}`])
    const body = method === "post" ? ["--data-binary", "@-"] : []
    const args = ["-s", "-w", "\n%{http_code}", "-X", method.toUpperCase(), ...given, ...body, url]
    const answer = execFileSync("curl", args, { input: payload, encoding: "utf8" })
    this.requests.push({ path: url.replace(/^https?:\/\/[^/]+/, ""), body: payload })
    const end = answer.lastIndexOf("\n")
    return { getResponseCode: () => Number(answer.slice(end + 1)), getContentText: () => answer.slice(0, end) }
  }
}
