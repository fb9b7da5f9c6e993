import { Command, InvalidArgumentError, Option } from "commander"
import { createKey, find, listKeys, revokeKey, suppress } from "./account.ts"
import { bulk, jobOutput, watchJob } from "./bulk.ts"
import { keyFile } from "./config.ts"
import { explain } from "./explain.ts"
import { nodeDoctor } from "./nodes.ts"
import type { Terminal } from "./terminal.ts"
import { verify } from "./verify.ts"

const TIERS = ["free", "starter", "pro", "enterprise"]
const REASONS = ["hard_bounce", "soft_bounce", "spam_complaint", "unsubscribe", "manual"]
const OUT = new Option("--out <file>", "write results there instead of stdout")
const POLL = new Option("--poll <seconds>", "how often to ask for progress").default(5).argParser(seconds)

/** Put in when the package is built. */
declare const PACKAGE_VERSION: string | undefined

/** The command line. @returns the exit code: 0 yes, 1 no, 2 wrong usage or a refusal, 3 no answer */
export async function run(terminal: Terminal, argv: readonly string[]): Promise<number> {
  let code = 0
  const does = async (work: Promise<number>) => {
    code = Math.max(code, await work)
  }
  const program = buildProgram(terminal, does)
  try {
    await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (error) {
    return explain(terminal, error)
  }
}

function buildProgram(terminal: Terminal, does: (work: Promise<number>) => Promise<void>): Command {
  const program = new Command("mailverdict")
    .description("Decide whether email addresses can be sent to.")
    .version(typeof PACKAGE_VERSION === "undefined" ? "not built" : PACKAGE_VERSION)
    .addHelpText("after", `\nThe key comes from MAILVERDICT_API_KEY or ${keyFile()}; the service from MAILVERDICT_URL.`)
    .addHelpText(
      "after",
      "It ends with 0 for yes or done, 1 for no, 2 for wrong usage or a refusal, 3 without an answer.",
    )
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .exitOverride()
  program
    .command("verify <email>")
    .description("verify one address; exit code 0 when it may be sent to, 1 when not")
    .option("--json", "the whole answer as JSON")
    .action((email: string, options) => does(verify(terminal, email, options)))
  program
    .command("bulk <file>")
    .description("verify a list: CSV, Excel, or one address a line, - for standard input")
    .addOption(OUT)
    .option("--json", "one JSON object a line instead of CSV")
    .option(
      "--column <name>",
      "the table's column of addresses, when it is not found by itself or the table comes by stdin",
    )
    .addOption(POLL)
    .action((file: string, { poll, ...options }) => does(bulk(terminal, file, { ...options, pollMs: poll * 1_000 })))
  program
    .command("find <first> <last> <domain>")
    .description("find a person's address")
    .option("--json", "the whole answer as JSON")
    .action((first: string, last: string, domain: string, options) =>
      does(find(terminal, { first, last, domain }, options)),
    )
  const keys = program.command("keys").description("the account's API keys")
  keys
    .command("list", { isDefault: true })
    .description("show them all, without their secrets")
    .option("--json", "as JSON")
    .action((options) => does(listKeys(terminal, options)))
  keys
    .command("create <name> <owner-email>")
    .description("make a key; its secret is printed once")
    .addOption(new Option("--tier <tier>", "up to your account's plan (default: free)").choices(TIERS))
    .action((name: string, email: string, options) => does(createKey(terminal, { name, email }, options)))
  keys
    .command("revoke <key-id>")
    .description("end a key at once and for good")
    .action((keyId: string) => does(revokeKey(terminal, keyId)))
  program
    .command("suppress <email>")
    .description("never send to an address")
    .addOption(new Option("--reason <reason>").choices(REASONS).default("manual"))
    .action((email: string, options) => does(suppress(terminal, email, options)))
  const jobs = program.command("job").description("bulk jobs")
  jobs
    .command("watch <job-id>")
    .description("show a job's progress until it ends; exit code 0 when all of it was done")
    .addOption(POLL)
    .action((jobId: string, { poll }) => does(watchJob(terminal, jobId, { pollMs: poll * 1_000 })))
  jobs
    .command("results <job-id>")
    .description("what a job found, as CSV")
    .addOption(OUT)
    .option("--json", "one JSON object a line instead of CSV")
    .action((jobId: string, options) => does(jobOutput(terminal, jobId, options)))
  program
    .command("node")
    .description("probe nodes")
    .command("doctor [node-id]")
    .description("how the nodes are and what is wrong with them; exit code 0 when all are asked")
    .option("--json", "as JSON")
    .action((nodeId: string | undefined, options) => does(nodeDoctor(terminal, nodeId, options)))
  return program
}

/** Without the bounds "5s" would ask without pause, and so would what is too long for a timer. */
function seconds(text: string): number {
  const value = Number(text)
  if (value >= 1 && value <= 3_600) return value
  throw new InvalidArgumentError("It must be a number of seconds from 1 to 3600.")
}
