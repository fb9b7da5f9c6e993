import { Command } from "commander"
import { addUsageCommand, welcome } from "./account.ts"
import { addAddressCommands, addVerifyCommand } from "./addresses.ts"
import { createCli } from "./cli.ts"
import { addCompletionCommand } from "./completion.ts"
import { readSettings } from "./config.ts"
import { explain } from "./flags.ts"
import { addKeyCommands } from "./keys.ts"
import { addListCommands } from "./lists.ts"
import { addLoginCommands } from "./login.ts"
import { addNodeCommands } from "./nodes.ts"
import { addSuppressCommands } from "./suppress.ts"
import { paint, type Terminal } from "./terminal.ts"
import { addWebhookCommands } from "./webhooks.ts"

/** Set by the package build. */
declare const PACKAGE_VERSION: string | undefined

const AFTER_HELP = `
Examples:
  $ mailverdict login
  $ mailverdict verify ada@example.com
  $ mailverdict lists upload customers.csv --out results.csv
  $ mailverdict webhooks listen --forward-to http://localhost:3000/hook

Output: tables on a terminal; one JSON object per line in a pipe, and with --json.
Exit codes: 0 yes or done, 1 no, 2 wrong usage or a rejected request, 3 no answer.
Environment: MAILVERDICT_API_KEY, MAILVERDICT_URL, MAILVERDICT_DEBUG, NO_COLOR.`

/** Runs the command line. @returns the exit code: 0 yes, 1 no, 2 wrong usage or a rejected request, 3 no answer */
export async function run(terminal: Terminal, argv: readonly string[]): Promise<number> {
  let code = 0
  let command: Command | undefined
  const program = buildProgram(terminal, (ended) => {
    code = Math.max(code, ended)
  })
  program.hook("preAction", (_, running) => {
    command = running
  })
  try {
    await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (error) {
    return explain(terminal, error, { command, hasKey: hasKey(terminal, program) })
  }
}

/** @param onEnd gets the exit code of each command */
export function buildProgram(terminal: Terminal, onEnd: (code: number) => void): Command {
  const program = new Command("mailverdict")
    .description("Decide whether email addresses can be sent to.")
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "mailverdict: ")),
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.columns ?? 100,
      getOutHasColors: () => terminal.hasColor,
      getErrHasColors: () => terminal.hasColor && terminal.isInteractive,
    })
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => paint(terminal, "bold", title) })
    .exitOverride()
    .version(typeof PACKAGE_VERSION === "undefined" ? "not built" : PACKAGE_VERSION)
    .option("--json", "print JSON: one object per line")
    .option("--api-key <key>", "use this API key; other users of the machine can see it")
    .option("--url <url>", "use the service at this URL")
    .addHelpText("after", AFTER_HELP)
  const cli = createCli(terminal, program, onEnd)
  // Without the argument, commander counts the arguments of a mistyped command instead of naming it.
  program
    .argument("[command]")
    .allowExcessArguments()
    .addHelpCommand(
      new Command("help").argument("[command]").description("show the help of a command").helpGroup("Help:"),
    )
    .action((name?: string) => {
      if (name !== undefined) program.error(`error: unknown command '${name}'. All commands: mailverdict --help`)
      return welcome(cli)
    })
  program.commandsGroup("Verify:")
  addVerifyCommand(program, cli)
  addListCommands(program, cli)
  addAddressCommands(program, cli)
  program.commandsGroup("Account:")
  addLoginCommands(program, cli)
  addUsageCommand(program, cli)
  addKeyCommands(program, cli)
  addSuppressCommands(program, cli)
  program.commandsGroup("Integrate:")
  addWebhookCommands(program, cli)
  addNodeCommands(program, cli)
  addCompletionCommand(program, cli)
  return program
}

/** Whether the command had a key. Invalid settings fail before a request, so they never lead to a 401. */
function hasKey(terminal: Terminal, program: Command): boolean {
  try {
    return readSettings(terminal, program.opts()).apiKey !== undefined
  } catch {
    return false
  }
}
