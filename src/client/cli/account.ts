import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text } from "node:stream/consumers"
import type { Command } from "commander"
import type { Answer } from "../caller.ts"
import { createClient } from "../client.ts"
import { MailverdictError } from "../errors.ts"
import { urlOf } from "../request.ts"
import { type Cli, printFacts } from "./cli.ts"
import { configFile, isHeaderValue, readReplaceableConfig, removeConfig, UsageError, writeConfig } from "./config.ts"
import { type Cell, counted, grouped, paint, print, report, type Terminal } from "./terminal.ts"

interface LoginOptions {
  readonly key?: string | undefined
  readonly email?: string | undefined
  /** False with --no-browser. */
  readonly browser: boolean
}

export function addLoginCommands(program: Command, cli: Cli): void {
  program
    .command("login")
    .description("sign in: store the service's URL and an API key for later commands")
    .option("--key <key>", "store this key instead of reading one; other users of the machine can see it")
    .option("--email <email>", "mail a sign-in link to this address instead of opening the browser")
    .option("--no-browser", "print the console's URL and open no browser")
    .addHelpText("after", EXAMPLES)
    .action((options: LoginOptions) => login(cli, options))
  program
    .command("logout")
    .description("delete the stored URL and key; the key stays valid")
    .action(() => {
      const path = configFile(cli.terminal)
      const removed = removeConfig(cli.terminal)
      printFacts(cli, { removed, file: path }, [
        ["signed out", removed ? `deleted ${path}` : "no key was stored"],
        ["", removed ? "The key stays valid. To end it: mailverdict keys revoke <key-id>" : null],
      ])
    })
  program
    .command("whoami")
    .description("show the account, the key and the service that commands use")
    .action(async () => {
      const { url, keyFrom } = cli.settings()
      const account = await cli.client().account()
      printFacts(cli, { ...account, url, key_from: keyFrom }, [
        ["account", [account.email, "bold"]],
        ["plan", account.tier],
        ["service", url],
        ["key", account.key_id],
        ["key from", keyFrom],
      ])
    })
}

const EXAMPLES = `
The key is checked before it is stored. Without a terminal, it is read from standard input.

Examples:
  $ mailverdict login --url https://api.example.com
  $ mailverdict login < key.txt`

async function login(cli: Cli, options: LoginOptions): Promise<void> {
  const { terminal } = cli
  const { key, email } = options
  // A broken file is replaced.
  const stored = readReplaceableConfig(terminal) ?? {}
  const { url, flagKey } = cli.settings(stored)
  const given = key ?? flagKey
  const apiKey = given === undefined ? await requestKey(terminal, url, options) : given.trim()
  if (!isHeaderValue(apiKey)) throw new UsageError("the API key is empty, or contains invalid characters")
  const client = createClient({ baseUrl: url, apiKey })
  const account = await client.account().catch((error: unknown) => {
    // The key is not the one of the settings, so the general advice would mislead.
    if (error instanceof MailverdictError && error.status === 401) throw new UsageError(`${error.message} at ${url}`)
    throw error
  })
  writeConfig(terminal, { ...stored, url, api_key: apiKey })
  if (given !== undefined && email !== undefined) {
    report(terminal, (await client.call("requestSignIn", { email })).message)
    report(terminal, howToJoin({ url, email, owner: account.email }))
  }
  printFacts(cli, { ...account, url }, [
    ["signed in", [account.email, "green"]],
    ["plan", account.tier],
    ["service", url],
    ["stored in", configFile(terminal)],
  ])
  if (terminal.env.MAILVERDICT_API_KEY)
    report(terminal, "MAILVERDICT_API_KEY is set: commands use that key instead of the stored one.")
}

/** Only the mailbox that a key was made for is offered the key of another program or browser. */
function howToJoin({ url, email, owner }: { url: string; email: string; owner: string }): string {
  if (email.toLowerCase() === owner.toLowerCase())
    return "The page of the link shows your key: choose Join to add it to the account."
  const signIn = urlOf(url, "/console/#/sign-in").href
  return `The key was made for ${owner}. To add it to the account of ${email}, open ${signIn}, enter the key, and request the link there.`
}

/** Shows where to get a key, and reads it from a hidden prompt, or from standard input without a keyboard. */
async function requestKey(terminal: Terminal, url: string, { email, browser }: LoginOptions): Promise<string> {
  if (!terminal.hasKeyboard) return (await text(terminal.stdin)).trim()
  const keysPage = urlOf(url, "/console/#/keys").href
  if (email !== undefined)
    report(terminal, (await createClient({ baseUrl: url }).call("requestSignIn", { email })).message)
  else if (!(browser && openBrowser(terminal, keysPage))) report(terminal, "Open this page and sign in:")
  report(terminal, `  ${keysPage}`)
  report(terminal, "Create a key there, and paste it here.")
  return promptHidden(terminal, "API key: ")
}

const OPENERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", '""'],
  linux: ["xdg-open"],
}

/** Opens a page in the browser of a person's desktop. @returns false without a desktop */
function openBrowser({ env }: Pick<Terminal, "env">, url: string): boolean {
  const opener = OPENERS[process.platform]
  const hasDesktop = process.platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  if (!opener || !hasDesktop) return false
  const [command, ...args] = opener
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" })
  // The page's URL is printed as well, so a missing program does no harm.
  child.on("error", () => undefined).unref()
  return true
}

/** Reads a line without showing it. @throws UsageError after Ctrl+C or Ctrl+D */
function promptHidden(terminal: Terminal, question: string): Promise<string> {
  // Readline echoes to its output, so this one drops everything.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.stdin, output: nowhere, terminal: true })
  terminal.stderr.write(question)
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      resolve(line.trim())
      lines.close()
    })
    lines.once("SIGINT", () => lines.close())
    lines.once("close", () => {
      report(terminal, "")
      reject(new UsageError("no key was entered"))
    })
  })
}

export function addUsageCommand(program: Command, cli: Cli): void {
  program
    .command("usage")
    .description("show the credits of the month: used, left and bought")
    .action(async () => {
      const usage = await cli.client().usage()
      printFacts(cli, usage, [
        ["plan", usage.tier],
        ["month", usage.period],
        ["used", `${grouped(usage.credits_used)} of ${orUnlimited(usage.credits_limit)}`],
        ["left", leftOf(usage)],
        ["bought", usage.bought_credits_left === 0 ? null : `${grouped(usage.bought_credits_left)} left`],
        ["resets in", counted(Math.ceil(usage.resets_in_seconds / 86_400), "day")],
      ])
    })
}

/** Credits that can be spent now, red without any. */
function leftOf({ credits_available }: Answer<"usage">): Cell {
  return [orUnlimited(credits_available), credits_available === 0 ? "red" : "green"]
}

export const orUnlimited = (limit: number | null) => (limit === null ? "unlimited" : grouped(limit))

const NEXT: readonly (readonly [command: string, does: string])[] = [
  ["mailverdict verify ada@example.com", "one address"],
  ["mailverdict lists upload customers.csv --out results.csv", "a list"],
  ["mailverdict find Ada Lovelace example.com", "a person's address"],
  ["mailverdict webhooks listen --forward-to http://localhost:3000/hook", "events on your machine"],
]

/** `mailverdict` alone: what to do first. */
export async function welcome(cli: Cli): Promise<void> {
  const { terminal } = cli
  const { url, apiKey } = cli.settings()
  if (apiKey === undefined) {
    printFacts(cli, { signed_in: false, url, next: "mailverdict login" }, [
      ["service", url],
      ["sign in", "mailverdict login"],
      ["without a key", "mailverdict verify ada@example.com (a few each minute)"],
      ["all commands", "mailverdict --help"],
    ])
    return
  }
  const client = cli.client()
  const [account, usage] = await Promise.all([client.account(), client.usage()])
  printFacts(cli, { signed_in: true, url, ...account, ...usage }, [
    ["account", [account.email, "bold"]],
    ["credits left", leftOf(usage)],
    ["service", url],
  ])
  if (cli.isJson) return
  print(terminal, "\nNext:")
  const width = Math.max(...NEXT.map(([command]) => command.length))
  for (const [command, does] of NEXT) print(terminal, `  ${command.padEnd(width)}  ${paint(terminal, "grey", does)}`)
  print(terminal, "\nAll commands: mailverdict --help")
}
