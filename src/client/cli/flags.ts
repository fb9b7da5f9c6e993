import { type Command, InvalidArgumentError, Option } from "commander"
import type { MailverdictError } from "../errors.ts"

/** Fields of the interface whose flag or argument has another name. Every other one is the same in kebab case. */
const NAMES: Readonly<Record<string, string>> = {
  allowed_networks: "networks",
  allowed_origins: "origins",
  email_column: "column",
  first_name: "first",
  last_name: "last",
  emails: "email",
}

/** Where the interface puts a field. */
const PLACES: readonly unknown[] = ["body", "query", "path"]

/**
 * The message of a rejected request, with the command's flags and arguments instead of the interface's fields: `body.events`
 * becomes `--events`.
 */
export function messageOf(error: MailverdictError, command: Command | undefined): string {
  if (error.fields.length === 0)
    return error.message.replace(/^(\w+)(?=: )/, (field) => wordOf(field, command) ?? field)
  return error.fields
    .map(({ loc, msg }) => {
      const field = loc.find((step) => typeof step === "string" && !PLACES.includes(step)) ?? loc.join(".")
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

export async function firstOf<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const first: Item[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === count) break
  }
  return first
}
