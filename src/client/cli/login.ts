import { hostname } from "node:os"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { type Command, Option } from "commander"
import { createClient } from "../client.ts"
import { MailverdictError } from "../errors.ts"
import { urlOf } from "../request.ts"
import { type Cli, printFacts } from "./cli.ts"
import {
  type Config,
  configFile,
  isHeaderValue,
  readReplaceableConfig,
  removeConfig,
  UsageError,
  writeConfig,
} from "./config.ts"
import { beginDeviceSignIn, revokeKey, waitForKey } from "./device-sign-in.ts"
import { commaSeparated } from "./flags.ts"
import { SCOPES } from "./keys.ts"
import { paint, print, report, type Terminal } from "./terminal.ts"

interface LoginOptions {
  /** True for `--key` without a value: the key is read from a prompt or from standard input. */
  readonly key?: string | true
  readonly email?: string
  readonly device?: true
  readonly name?: string
  readonly scopes?: readonly string[]
}

export function addLoginCommands(program: Command, cli: Cli): void {
  program
    .command("login")
    .description("sign in: approve this machine in the console, and store its API key for later commands")
    .option("--key [key]", "store this key, or one that you enter; other users of the machine can see a key of a flag")
    .option("--email <email>", "mail a sign-in link to this address, for the console")
    .option("--device", "show a code to approve, also without a terminal")
    .option("--name <name>", "name of the new key", hostname())
    .addOption(
      new Option("--scopes <scopes>", `let the new key make only these calls: ${SCOPES.join(",")}`).argParser(
        commaSeparated(SCOPES),
      ),
    )
    .addHelpText("after", EXAMPLES)
    .action((options: LoginOptions) => login(cli, options))
  program
    .command("logout")
    .description("revoke the key that login created, and delete the stored URL and key")
    .option("--keep-key", "delete only the file; the key stays valid")
    .action(({ keepKey = false }: { readonly keepKey?: boolean }) => logout(cli, keepKey))
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
On a terminal, login shows a short code. Enter it in the console, where you see what the key may do. The key ends
after 90 days. A key of --key is checked before it is stored. Without a terminal, the key is read from standard input.

Examples:
  $ mailverdict login --url https://api.example.com
  $ mailverdict login --scopes verify,lists --name build-server
  $ mailverdict login < key.txt`

async function login(cli: Cli, options: LoginOptions): Promise<void> {
  const { terminal } = cli
  // A broken file is replaced.
  const stored = readReplaceableConfig(terminal) ?? {}
  const { url, flagKey } = cli.settings(stored)
  const given = typeof options.key === "string" ? options.key : flagKey
  const readsKey = given !== undefined || options.key === true || !(terminal.hasKeyboard || options.device)
  const apiKey = readsKey ? await readKey(terminal, url, given) : await signInByCode(cli, url, options)
  const account = await createClient({ baseUrl: url, apiKey })
    .account()
    .catch((error: unknown) => {
      // The key is not the one of the settings, so the general advice would mislead.
      if (error instanceof MailverdictError && error.status === 401) throw new UsageError(`${error.message} at ${url}`)
      throw error
    })
  const { revoke_on_logout: _, ...kept } = stored
  writeConfig(terminal, { ...kept, url, api_key: apiKey, ...(readsKey ? {} : { revoke_on_logout: true }) })
  await revokeReplaced(stored, apiKey)
  if (given !== undefined && options.email !== undefined) {
    report(terminal, await mailLink(url, options.email, apiKey))
    report(terminal, howToJoin({ url, email: options.email, owner: account.email }))
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

/** Shows a code, and waits until the user has approved it in the console (RFC 8628). Opens no browser. */
async function signInByCode(
  cli: Cli,
  url: string,
  { email, name = hostname(), scopes }: LoginOptions,
): Promise<string> {
  const { terminal } = cli
  const begun = await beginDeviceSignIn(url, { name, scopes })
  const { device_code: _, interval, ...shown } = begun
  if (cli.isJson) print(terminal, JSON.stringify(shown))
  else {
    report(terminal, `Your code  ${paint(terminal, "bold", shown.user_code)}`)
    report(terminal, `Enter it at  ${shown.verification_uri}`)
  }
  if (email !== undefined) report(terminal, await mailLink(url, email))
  report(terminal, `Waiting for your approval, at most ${Math.round(shown.expires_in / 60)} minutes. Ctrl+C cancels.`)
  return waitForKey(url, begun, terminal.closed)
}

/** Mails a sign-in link. @returns the answer in words */
const mailLink = async (url: string, email: string, apiKey?: string): Promise<string> =>
  (await createClient({ baseUrl: url, apiKey }).call("requestSignIn", { email })).message

/** A new sign-in replaces the key of the last one. Without an answer, that key ends by itself. */
async function revokeReplaced({ url, api_key, revoke_on_logout }: Config, apiKey: string): Promise<void> {
  if (!revoke_on_logout || !url || !api_key || api_key === apiKey) return
  await revokeKey(url, api_key).catch(() => undefined)
}

async function logout(cli: Cli, keepsKey: boolean): Promise<void> {
  const { terminal } = cli
  const path = configFile(terminal)
  const { url, api_key, revoke_on_logout: isOwn } = readReplaceableConfig(terminal) ?? {}
  const revokes = isOwn === true && !keepsKey && url !== undefined && api_key !== undefined
  if (revokes)
    await revokeKey(url, api_key).catch((error: Error) => {
      error.message +=
        ". The key is not revoked, and the file stays. To delete only the file: mailverdict logout --keep-key"
      throw error
    })
  const removed = removeConfig(terminal)
  const staysValid = removed && !revokes && api_key !== undefined
  printFacts(cli, { removed, revoked: revokes, file: path }, [
    ["signed out", removed ? `deleted ${path}` : "no key was stored"],
    ["key", revokes ? "revoked" : null],
    ["", staysValid ? "The key stays valid. To end it: mailverdict keys revoke <key-id>" : null],
  ])
}

/** Only the mailbox that a key was made for is offered the key of another program or browser. */
function howToJoin({ url, email, owner }: { url: string; email: string; owner: string }): string {
  if (email.toLowerCase() === owner.toLowerCase())
    return "The page of the link shows your key: choose Join to add it to the account."
  const signIn = urlOf(url, "/console/#/sign-in").href
  return `The key was made for ${owner}. To add it to the account of ${email}, open ${signIn}, enter the key, and request the link there.`
}

/** Reads a key from the flag, from a hidden prompt, or from standard input without a keyboard. @throws UsageError */
async function readKey(terminal: Terminal, url: string, given: string | undefined): Promise<string> {
  const key = given ?? (terminal.hasKeyboard ? await askForKey(terminal, url) : await text(terminal.stdin))
  if (!isHeaderValue(key.trim())) throw new UsageError("the API key is empty, or contains invalid characters")
  return key.trim()
}

function askForKey(terminal: Terminal, url: string): Promise<string> {
  report(terminal, `Create a key at ${urlOf(url, "/console/#/keys").href}, and paste it here.`)
  return promptHidden(terminal, "API key: ")
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
