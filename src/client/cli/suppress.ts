import { type Command, Option } from "commander"
import type { Answer } from "../caller.ts"
import type { ImportOptions, SuppressionEntry, SuppressionFilter, SuppressionOptions } from "../resources/suppress.ts"
import { type Cli, LIST_TIMEOUT_MS, printFacts, printTable } from "./cli.ts"
import { firstOf, limitOption, wholeNumber } from "./flags.ts"
import { readTable, writePieces } from "./list-file.ts"
import { type Cell, counted, grouped, inWords, moment, report } from "./terminal.ts"

const REASONS = ["hard_bounce", "soft_bounce", "spam_complaint", "unsubscribe", "manual"] as const
type Reason = (typeof REASONS)[number]

const ENTRY = "an address, or a domain for all of its addresses"
const reasonOption = (text: string) => new Option("--reason <reason>", text).choices(REASONS)

interface AddOptions {
  readonly reason: Reason
  readonly source?: string
  readonly expiresInDays?: number
}

interface ListOptions extends Pick<SuppressionFilter, "search" | "reason"> {
  readonly limit: number
}

export function addSuppressCommands(program: Command, cli: Cli): void {
  const suppress = program.command("suppress").description("manage the suppression list: addresses you never send to")
  suppress
    .command("add")
    .argument("<email-or-domain>", ENTRY)
    .description("suppress an address or a whole domain")
    .addOption(reasonOption("why it is suppressed").default("manual" satisfies Reason))
    .option("--source <text>", "where the entry comes from")
    .addOption(
      new Option("--expires-in-days <days>", "end the entry after this time").argParser(wholeNumber(1, 3_650, "days")),
    )
    .addHelpText("after", EXAMPLES)
    .action((entry: string, options) => add(cli, entry, options))
  suppress
    .command("list")
    .description("show the entries, newest first")
    .option("--search <text>", "a whole address, or @ and a domain")
    .addOption(reasonOption("only entries with this reason"))
    .addOption(limitOption())
    .action(async ({ limit, ...filter }: ListOptions) => {
      const entries = await firstOf(cli.client().suppress.list(filter), limit)
      printTable(cli, entries, { columns: COLUMNS, none: "No entries." })
    })
  suppress
    .command("remove")
    .argument("<email-or-domain>", ENTRY)
    .description("remove an entry; exit code 1 when another entry still suppresses the address")
    .action((entry: string) => cli.end(remove(cli, entry)))
  suppress
    .command("import")
    .argument("<file>", "CSV with a column of addresses, as other services export it; - reads standard input")
    .description("add the rows of a file; exit code 1 when it rejects a row")
    .addOption(reasonOption("the reason of rows without a known one"))
    .option("--source <text>", "the source of rows without one")
    .action((file: string, options) => cli.end(importFile(cli, file, options)))
  suppress
    .command("export")
    .description("write the whole list as CSV, which import reads")
    .option("--out <file>", "write to this file instead of standard output")
    .action(async ({ out }: { out?: string }) => {
      await writePieces(cli.terminal, cli.client({ timeoutMs: LIST_TIMEOUT_MS }).suppress.export(), out)
      if (out) printFacts(cli, { file: out }, [["file", out]])
    })
}

const EXAMPLES = `
Examples:
  $ mailverdict suppress add ada@example.com --reason unsubscribe
  $ mailverdict suppress add example.com`

/** An address has text before its @. `@example.com` names the domain. */
const isAddress = (entry: string) => entry.indexOf("@") > 0

async function add(cli: Cli, entry: string, { expiresInDays, ...options }: AddOptions): Promise<void> {
  const { suppress } = cli.client()
  const fields: SuppressionOptions = {
    ...options,
    ...(expiresInDays === undefined ? {} : { expires_in_days: expiresInDays }),
  }
  const added = await (isAddress(entry) ? suppress.add(entry, fields) : suppress.addDomain(entry, fields))
  const { email, domain, reason, expires_at } = added.entry
  printFacts(cli, added, [
    ["entry", email ?? domain ?? entry],
    ["change", [added.change, added.change === "unchanged" ? "grey" : "green"]],
    ["reason", inWords(reason)],
    ["expires", expires_at ? moment(expires_at) : "never"],
  ])
}

const COLUMNS: Readonly<Record<string, (entry: SuppressionEntry) => Cell>> = {
  ENTRY: ({ email, domain }) => email ?? (domain ? `@${domain}` : ["erased", "grey"]),
  REASON: ({ reason }) => inWords(reason),
  SOURCE: ({ source }) => source ?? "",
  SINCE: ({ suppressed_at }) => moment(suppressed_at),
  EXPIRES: ({ expires_at }) => (expires_at ? moment(expires_at) : ["never", "grey"]),
}

async function remove(cli: Cli, entry: string): Promise<number> {
  const { suppress } = cli.client()
  const removed = await (isAddress(entry) ? suppress.remove(entry) : suppress.removeDomain(entry.replace(/^@/, "")))
  printFacts(cli, removed, [
    ["entry", entry],
    ["change", ["removed", "green"]],
    ["still suppressed", removed.still_suppressed ? [coveredBy(removed), "yellow"] : "no"],
  ])
  return removed.still_suppressed ? 1 : 0
}

const coveredBy = ({ entries }: Answer<"removeSuppression">) =>
  entries.map(({ list: owner, domain }) => `by the ${owner}'s entry${domain ? ` for ${domain}` : ""}`).join(", ")

async function importFile(cli: Cli, file: string, options: ImportOptions): Promise<number> {
  const body = await readTable(cli.terminal, file)
  const imported = await cli.client({ timeoutMs: LIST_TIMEOUT_MS }).suppress.import(body, options)
  const { added, updated, kept, duplicates, rejected, unknown_reasons: unknown } = imported
  printFacts(cli, imported, [
    ["added", [grouped(added), "green"]],
    ["updated", grouped(updated)],
    ["kept", grouped(kept)],
    ["duplicates", grouped(duplicates)],
    ["unknown reasons", [grouped(unknown.length), unknown.length === 0 ? "grey" : "yellow"]],
    ["rejected", [counted(rejected.length, "row"), rejected.length === 0 ? "grey" : "red"]],
  ])
  for (const { reason, rows } of unknown)
    report(cli.terminal, `unknown reason in ${counted(rows, "row")}, stored as a note: ${reason}`)
  for (const { row, reason } of rejected) report(cli.terminal, `row ${row}: ${reason}`)
  return rejected.length === 0 ? 0 : 1
}
