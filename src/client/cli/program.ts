import { Command, InvalidArgumentError, Option } from "commander"
import { createKey, find, listKeys, requestSignIn, revokeKey, suppress } from "./account.ts"
import { bulk, jobOutput, watchJob } from "./bulk.ts"
import { keyFile } from "./config.ts"
import { explain } from "./explain.ts"
import { drainNode, nodeDoctor, resumeNode } from "./nodes.ts"
import type { Terminal } from "./terminal.ts"
import { verify } from "./verify.ts"

const TIERS = ["free", "starter", "pro", "enterprise"]
const REASONS = ["hard_bounce", "soft_bounce", "spam_complaint", "unsubscribe", "manual"]
const FILTERS = ["all", "can_send", "valid", "risky", "accept_all", "disposable", "unknown", "invalid"]
const FORMATS = ["csv", "json", "ndjson", "xlsx"]
const OUT = new Option("--out <file>", "write the results to a file instead of stdout")
const POLL = new Option("--poll <seconds>", "seconds between progress requests").default(5).argParser(seconds)

/** Set by the package build. */
declare const PACKAGE_VERSION: string | undefined

/** Runs the command line. @returns the exit code: 0 yes, 1 no, 2 wrong usage or a rejected request, 3 no answer */
export async function run(terminal: Terminal, argv: readonly string[]): Promise<number> {
  let code = 0
  const track = async (work: Promise<number>) => {
    code = Math.max(code, await work)
  }
  const program = buildProgram(terminal, track)
  try {
    await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (error) {
    return explain(terminal, error)
  }
}

function buildProgram(terminal: Terminal, track: (work: Promise<number>) => Promise<void>): Command {
  const program = new Command("mailverdict")
    .description("Decide whether email addresses can be sent to.")
    .version(typeof PACKAGE_VERSION === "undefined" ? "not built" : PACKAGE_VERSION)
    .addHelpText("after", `\nAPI key: MAILVERDICT_API_KEY or the file ${keyFile()}. Service URL: MAILVERDICT_URL.`)
    .addHelpText("after", "Exit codes: 0 yes or done, 1 no, 2 wrong usage or a rejected request, 3 no answer.")
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .exitOverride()
  program
    .command("verify <email>")
    .description("verify one address; exit code 0 when you can send to it, otherwise 1")
    .option("--json", "print the full response as JSON")
    .action((email: string, options) => track(verify(terminal, email, options)))
  program
    .command("bulk <file>")
    .description("verify a list: CSV, Excel or one address per line; - reads standard input")
    .addOption(OUT)
    .option("--json", "write one JSON object per line instead of CSV")
    .option("--column <name>", "the table's email column; needed on standard input or when detection fails")
    .addOption(POLL)
    .action((file: string, { poll, ...options }) => track(bulk(terminal, file, { ...options, pollMs: poll * 1_000 })))
  program
    .command("find <first> <last> <domain>")
    .description("find a person's email address")
    .option("--json", "print the full response as JSON")
    .action((first: string, last: string, domain: string, options) =>
      track(find(terminal, { first, last, domain }, options)),
    )
  program
    .command("sign-in <email>")
    .description("mail a sign-in link; its page offers to join your key to the account")
    .action((email: string) => track(requestSignIn(terminal, email)))
  const keys = program.command("keys").description("manage the account's API keys")
  keys
    .command("list", { isDefault: true })
    .description("list all keys without their secrets")
    .option("--json", "print JSON")
    .action((options) => track(listKeys(terminal, options)))
  keys
    .command("create <name> <owner-email>")
    .description("create a key and print its secret once")
    .addOption(new Option("--tier <tier>", "the key's plan, at most the account's (default: free)").choices(TIERS))
    .action((name: string, email: string, options) => track(createKey(terminal, { name, email }, options)))
  keys
    .command("revoke <key-id>")
    .description("revoke a key immediately and permanently")
    .action((keyId: string) => track(revokeKey(terminal, keyId)))
  program
    .command("suppress <email>")
    .description("add an address to the suppression list")
    .addOption(new Option("--reason <reason>").choices(REASONS).default("manual"))
    .action((email: string, options) => track(suppress(terminal, email, options)))
  const jobs = program.command("job").description("follow bulk jobs and download results")
  jobs
    .command("watch <job-id>")
    .description("show a job's progress until it ends; exit code 0 when it is complete")
    .addOption(POLL)
    .action((jobId: string, { poll }) => track(watchJob(terminal, jobId, { pollMs: poll * 1_000 })))
  jobs
    .command("results <job-id>")
    .description("download a job's results")
    .addOption(OUT)
    .addOption(new Option("--filter <filter>", "download only these results").choices(FILTERS).default("all"))
    .addOption(new Option("--format <format>", "format of the file").choices(FORMATS).default("csv"))
    .addOption(new Option("--json", "write each full result as a JSON line").conflicts("format"))
    .action((jobId: string, options) => track(jobOutput(terminal, jobId, options)))
  const nodes = program.command("node").description("inspect, drain and resume probe nodes")
  nodes
    .command("doctor [node-id]")
    .description(
      "show the state and problems of your probe nodes, with MAILVERDICT_ADMIN_SECRET of all; exit code 0 when all are healthy",
    )
    .option("--json", "print JSON")
    .action((nodeId: string | undefined, options) => track(nodeDoctor(terminal, nodeId, options)))
  nodes
    .command("drain <node-id>")
    .description("send no new probes to your node, with MAILVERDICT_ADMIN_SECRET to any; running ones end")
    .action((nodeId: string) => track(drainNode(terminal, nodeId)))
  nodes
    .command("resume <node-id>")
    .description("end the drain of a node")
    .action((nodeId: string) => track(resumeNode(terminal, nodeId)))
  return program
}

/** Parses a poll interval. "5s" or a value too large for a timer would otherwise poll without pause. */
function seconds(text: string): number {
  const value = Number(text)
  if (value >= 1 && value <= 3_600) return value
  throw new InvalidArgumentError("It must be a number of seconds from 1 to 3600.")
}
