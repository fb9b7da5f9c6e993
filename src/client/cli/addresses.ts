import type { Command } from "commander"
import type { Answer } from "../caller.ts"
import { type Cli, printFacts, printTable } from "./cli.ts"
import type { Cell } from "./table.ts"
import { inWords, moment, percent, yesNo } from "./words.ts"

export function addAddressCommands(program: Command, cli: Cli): void {
  program
    .command("find <first> <last> <domain>")
    .description("find a person's email address; exit code 0 with an address, otherwise 1")
    .addHelpText("after", FIND_EXAMPLES)
    .action((first: string, last: string, domain: string) => cli.end(find(cli, { first, last, domain })))
  program
    .command("domain <domain>")
    .description("show what is known of a domain: its mail hosts, records and catch-all result; free")
    .action((domain: string) => cli.end(showDomain(cli, domain)))
}

/** The others have hardly any probability. JSON has all of them. */
const SHOWN_CANDIDATES = 5

const FIND_EXAMPLES = `
Cost: 5 credits for a verified or likely address, otherwise none.

Example:
  $ mailverdict find Ada Lovelace example.com`

async function find(
  cli: Cli,
  { first, last, domain }: { first: string; last: string; domain: string },
): Promise<number> {
  const found = await cli.client().find({ first_name: first, last_name: last, domain })
  if (cli.isJson) printFacts(cli, found, [])
  else printTable(cli, found.candidates.slice(0, SHOWN_CANDIDATES), { columns: CANDIDATES, none: noneBecause(found) })
  return found.best_email ? 0 : 1
}

type Found = Answer<"findEmailV2">

const noneBecause = ({ reason }: Found) => (reason ? `No address found: ${inWords(reason)}.` : "No address found.")

const CANDIDATES: Readonly<Record<string, (candidate: Found["candidates"][number]) => Cell>> = {
  EMAIL: ({ email }) => email,
  CONFIDENCE: ({ confidence }) => percent(confidence),
  VERIFIED: ({ verified }) => yesNo(verified),
  SMTP: ({ smtp_status }) => inWords(smtp_status),
}

async function showDomain(cli: Cli, domain: string): Promise<number> {
  const known = await cli.client().domain(domain)
  const { dns, age, format } = known
  const kinds = [
    ...(known.is_disposable ? ["disposable"] : []),
    ...(known.is_free_provider ? ["free provider"] : []),
    ...(known.is_government ? ["government"] : []),
    ...(known.is_education ? ["education"] : []),
    ...(known.is_corporate ? ["corporate"] : []),
  ]
  printFacts(cli, known, [
    ["domain", [known.domain, "bold"]],
    ["provider", known.provider],
    ["kind", kinds.join(", ")],
    ["takes mail", yesNo(dns.mx_valid)],
    ["mail hosts", dns.mx_records.join(", ")],
    ["catch-all", yesNo(known.is_catch_all)],
    ["SPF", dns.spf ? inWords(dns.spf.state) : ["unknown", "grey"]],
    ["DKIM", yesNo(dns.dkim_present)],
    ["DMARC", dns.dmarc_present && dns.dmarc?.policy ? `p=${dns.dmarc.policy}` : yesNo(dns.dmarc_present)],
    ["website", known.web_presence],
    ["registered", age.registered_at ? moment(age.registered_at).slice(0, 10) : null],
    ["addresses", format && `${format.format} (${percent(format.confidence)})`],
  ])
  return 0
}
