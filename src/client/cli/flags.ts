import { type Command, InvalidArgumentError, Option } from "commander"
import { ConnectionError, isUnavailable, MailverdictError, UnfinishedJobError } from "../errors.ts"
import { UsageError } from "./config.ts"
import { paint, report, type Terminal } from "./terminal.ts"

/** Fields of the interface whose flag or argument has another name. Every other one is the same in kebab case. */
const NAMES: Readonly<Record<string, string>> = {
  allowed_networks: "networks",
  allowed_origins: "origins",
  email_column: "column",
  first_name: "first",
  last_name: "last",
  emails: "email",
  scope: "scopes",
}

/**
 * The message of a rejected request, with the command's flags and arguments instead of the interface's fields: `body.events`
 * becomes `--events`.
 */
function messageOf(error: MailverdictError, command: Command | undefined): string {
  if (error.fields.length === 0)
    return error.message.replace(/^(\w+)(?=: )/, (field) => wordOf(field, command) ?? field)
  return error.fields
    .map(({ loc, msg }) => {
      const field =
        loc.find((step) => typeof step === "string" && !["body", "query", "path"].includes(step)) ?? loc.join(".")
      return `${wordOf(String(field), command) ?? field}: ${msg}`
    })
    .join("; ")
}

/** `--name` of the command's option, or `<name>` of its argument, for a field of the interface. */
function wordOf(field: string, command: Command | undefined): string | undefined {
  const name = NAMES[field] ?? field.replaceAll("_", "-")
  if (command?.options.some(({ long }) => long === `--${name}`)) return `--${name}`
  // `<email-or-domain>` takes both fields.
  const argument = command?.registeredArguments.find((one) => one.name().split("-or-").includes(name))
  return argument && `<${argument.name()}>`
}

/** Parses a whole number. @throws InvalidArgumentError, which commander reports with the flag */
export const wholeNumber = (min: number, max: number, unit: string) => (text: string) => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new InvalidArgumentError(`It must be a whole number of ${unit} from ${min} to ${max}.`)
}

/** Parses a list with commas, of any words or of the given ones. */
export function commaSeparated<Word extends string>(choices?: readonly Word[]) {
  return (text: string): Word[] => {
    const words = text.split(",").map((word) => word.trim()) as Word[]
    const wrong = words.find((word) => word === "" || (choices && !choices.includes(word)))
    if (wrong === undefined) return words
    const allowed = choices ? ` Allowed: ${choices.join(", ")}.` : ""
    throw new InvalidArgumentError(`${JSON.stringify(wrong)} is not allowed.${allowed}`)
  }
}

/** Items that a listing shows, and an option for it. */
export const limitOption = () =>
  new Option("--limit <count>", "how many to show").default(20).argParser(wholeNumber(1, 1_000_000, "items"))

/** @param count at least one */
export async function firstOf<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const first: Item[] = []
  for await (const item of items) if (first.push(item) === count) break
  return first
}

const LONG_UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

interface Failure {
  /** The command that ran. Undefined when none did. */
  readonly command: Command | undefined
  readonly hasKey: boolean
}

/** Prints why a command failed. @returns the exit code: 2 wrong usage or a rejected request, 3 no answer */
export function explain(terminal: Terminal, error: unknown, { command, hasKey }: Failure): number {
  if (!(error instanceof Error)) throw error
  // The reader closed the pipe.
  if ("code" in error && error.code === "EPIPE") return 0
  if ("exitCode" in error) return error.exitCode === 0 ? 0 : 2
  const text = `mailverdict: ${reasonOf(terminal, error, { command, hasKey })}`
  report(terminal, terminal.isInteractive ? paint(terminal, "red", text) : text)
  // "syscall" marks a file error. Any other error is unexpected.
  // Node would exit with 1 for a thrown error, but 1 means the answer "no".
  return !isUnavailable(error) && (isRefusal(error) || "syscall" in error) ? 2 : 3
}

const isRefusal = (error: Error) =>
  [UsageError, MailverdictError, UnfinishedJobError].some((kind) => error instanceof kind)

function reasonOf(terminal: Terminal, error: Error, failure: Failure): string {
  if (error instanceof MailverdictError) return refusalOf(error, failure)
  // Without a cause, some other server answered.
  if (error instanceof ConnectionError)
    return error.message + (error.cause ? ". Is the service running? --url or MAILVERDICT_URL names another one" : "")
  if (isRefusal(error) || "syscall" in error) return error.message
  if (terminal.env.MAILVERDICT_DEBUG) return error.stack ?? error.message
  return `unexpected answer (${error.message}). Is it a Mailverdict service? MAILVERDICT_DEBUG=1 shows the place`
}

function refusalOf(error: MailverdictError, { command, hasKey }: Failure): string {
  if (error.status === 401)
    return hasKey
      ? `${error.message}. To sign in again: mailverdict login`
      : "this command needs an API key. Run: mailverdict login, or set MAILVERDICT_API_KEY"
  return messageOf(error, command) + waitInWords(error.retryAfterSeconds ?? 0)
}

/** Formats a long wait in days, hours or minutes. The monthly limit reports millions of seconds. */
function waitInWords(seconds: number): string {
  const longest = LONG_UNITS.find(([, size]) => seconds >= 2 * size)
  if (!longest) return ""
  const [unit, size] = longest
  const count = new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" })
  return ` (${count.format(Math.ceil(seconds / size))})`
}
