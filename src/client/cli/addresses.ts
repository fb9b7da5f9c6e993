import { createInterface } from "node:readline"
import type { Command } from "commander"
import type { Answer, Input } from "../caller.ts"
import type { Client } from "../client.ts"
import type { Verdict, VerifyOptions } from "../resources/addresses.ts"
import { type Cli, printFacts, printRows, printTable } from "./cli.ts"
import { UsageError } from "./config.ts"
import {
  type Cell,
  formatFacts,
  inWords,
  moment,
  paint,
  percent,
  print,
  progressBar,
  type Style,
  type Terminal,
  textOf,
  yesNo,
} from "./terminal.ts"

const COLORS: Readonly<Record<Verdict["deliverability"], Style>> = {
  deliverable: "green",
  undeliverable: "red",
  risky: "yellow",
  unknown: "grey",
}
/** Verifications in flight. A free account may verify ten addresses a minute. */
const IN_FLIGHT = 4

export function addVerifyCommand(program: Command, cli: Cli): void {
  program
    .command("verify")
    .argument("<email...>", "addresses; - reads one per line from standard input")
    .description("verify addresses; exit code 0 when you can send to all of them, otherwise 1")
    .option("--explain", "show each fact with its points, and the SMTP conversation")
    .option("--fresh", "probe again although a stored result is fresh")
    .addHelpText("after", EXAMPLES)
    .action((emails: string[], options: VerifyOptions) => cli.end(verify(cli, emails, options)))
}

const EXAMPLES = `
Cost: a credit for each address; a stored or unknown result is free. For many addresses, use "lists upload".

Examples:
  $ mailverdict verify ada@example.com --explain
  $ cut -d, -f2 people.csv | mailverdict verify - | jq -r 'select(.deliverability_score.can_send).email'`

/**
 * A failure ends the command, but finished verdicts are printed: they are charged.
 * @returns 0 when every address can be sent to, otherwise 1
 */
async function verify(cli: Cli, emails: readonly string[], options: VerifyOptions): Promise<number> {
  const { terminal } = cli
  const isMany = emails.length > 1 || emails.includes("-")
  const bar = isMany && terminal.isInteractive ? progressBar(terminal, "verified") : null
  const addresses = addressesOf(terminal, emails)
  const forTable: Verdict[] = []
  let [verified, canSend] = [0, true]
  try {
    bar?.show(0, addresses.total)
    for await (const verdict of inOrder(cli.client(), addresses.read(), { options, closed: terminal.closed })) {
      // Read first: an answer of another service must fail before it is printed.
      canSend &&= verdict.deliverability_score.can_send
      if (cli.isJson) print(terminal, JSON.stringify(verdict))
      else forTable.push(verdict)
      bar?.show(++verified, addresses.total)
    }
  } catch (error) {
    if (!terminal.closed.aborted) throw error
  } finally {
    bar?.end()
    if (forTable.length > 1 && !options.explain) printTable(cli, forTable, { columns: COLUMNS, none: "" })
    else for (const verdict of forTable) describe(terminal, verdict)
  }
  if (addresses.total === 0) throw new UsageError("standard input contains no addresses")
  return canSend ? 0 : 1
}

/** The given addresses, with the lines of standard input in place of "-". They are read as they are needed. */
function addressesOf({ stdin, closed }: Terminal, given: readonly string[]) {
  const addresses = {
    /** How many there are, as far as they are read. */
    total: given.filter((email) => email !== "-").length,
    async *read(): AsyncGenerator<string, void> {
      for (const email of given)
        if (email === "-") yield* lines()
        else yield email
    },
  }
  async function* lines() {
    for await (const line of createInterface({ input: stdin, signal: closed })) {
      if (line.trim() === "") continue
      addresses.total++
      yield line.trim()
    }
  }
  return addresses
}

/**
 * Verifies several addresses at a time and yields their verdicts in the given order. After a failure it ends the running
 * ones, and yields those that have a verdict already.
 */
async function* inOrder(
  client: Client,
  emails: AsyncIterable<string>,
  { options, closed }: { options: VerifyOptions; closed: AbortSignal },
): AsyncGenerator<Verdict, void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([closed, failed.signal])
  const running: Promise<Verdict>[] = []
  const start = (email: string) => {
    const verdict = client.verify(email, options, { signal })
    // Awaited later. Until then a rejection must not end the process.
    verdict.catch(() => undefined)
    running.push(verdict)
  }
  try {
    for await (const email of emails) {
      if (running.length === IN_FLIGHT) yield await running.shift()!
      start(email)
    }
    while (running.length > 0) yield await running.shift()!
  } catch (error) {
    failed.abort()
    for (const ended of await Promise.allSettled(running)) if (ended.status === "fulfilled") yield ended.value
    throw error
  }
}

const statusOf = ({ status, deliverability }: Verdict): Cell => [inWords(status), COLORS[deliverability]]

/** Why the address has its verdict, in a few words. */
function reasonOf({ sub_status, deliverability_score: { primary_risk } }: Verdict): string {
  if (primary_risk === "no_probe_node") return "no probe node was available"
  return sub_status ? inWords(sub_status) : ""
}

const riskOf = ({ deliverability_score: { primary_risk } }: Verdict) => primary_risk && inWords(primary_risk)

/** Null for an unknown result: its points say nothing about the mailbox. */
const scoreOf = ({ status, deliverability_score: { score } }: Verdict) => (status === "unknown" ? null : score)

const COLUMNS: Readonly<Record<string, (verdict: Verdict) => Cell>> = {
  EMAIL: ({ email }) => email,
  STATUS: statusOf,
  SCORE: (verdict) => scoreOf(verdict) ?? "–",
  ADVICE: ({ deliverability_score }) => inWords(deliverability_score.recommendation),
  REASON: (verdict) => riskOf(verdict) ?? reasonOf(verdict),
}

function describe(terminal: Terminal, verdict: Verdict): void {
  const { recommendation } = verdict.deliverability_score
  const score = scoreOf(verdict)
  const [status, style] = statusOf(verdict) as readonly [string, Style]
  print(
    terminal,
    [
      paint(terminal, "bold", textOf(verdict.email)),
      paint(terminal, style, status),
      ...(score === null ? [] : [`${score}/100`]),
      inWords(recommendation),
    ].join("  "),
  )
  const facts: readonly (readonly [string, Cell | null])[] = [
    ["  risk", riskOf(verdict)],
    ["  reason", reasonOf(verdict)],
    ["  mail hosts", verdict.mx_records.join(", ")],
    ["  SMTP reply", verdict.smtp_response_code],
    ["  did you mean", verdict.did_you_mean],
  ]
  for (const line of formatFacts(facts, terminal)) print(terminal, line)
  if (verdict.explanation) explainVerdict(terminal, verdict.explanation)
}

function explainVerdict(terminal: Terminal, { ledger, transcript }: NonNullable<Verdict["explanation"]>): void {
  const rows = ledger.map(({ phase, fact, value, points }): Cell[] => [
    phase,
    inWords(fact.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
    value === null ? ["unknown", "grey"] : inWords(value),
    points > 0 ? [`+${points}`, "green"] : points < 0 ? [String(points), "red"] : "",
  ])
  print(terminal, "")
  printRows(terminal, ["PHASE", "FACT", "VALUE", "POINTS"], rows)
  if (transcript.length === 0) return
  print(terminal, "")
  for (const { from, text } of transcript)
    print(terminal, from === "client" ? `> ${textOf(text)}` : paint(terminal, "grey", `< ${textOf(text)}`))
}

export function addAddressCommands(program: Command, cli: Cli): void {
  program
    .command("find <first> <last> <domain>")
    .description("find a person's email address; exit code 0 with an address, otherwise 1")
    .addHelpText("after", FIND_EXAMPLES)
    .action((first_name: string, last_name: string, domain: string) =>
      cli.end(find(cli, { first_name, last_name, domain })),
    )
  program
    .command("domain <domain>")
    .description("show what is known of a domain: its mail hosts, records and catch-all result; free")
    .action((domain: string) => showDomain(cli, domain))
}

/** The others have hardly any probability. JSON has all of them. */
const SHOWN_CANDIDATES = 5

const FIND_EXAMPLES = `
Cost: 5 credits for a verified or likely address, otherwise none.

Example:
  $ mailverdict find Ada Lovelace example.com`

async function find(cli: Cli, person: Input<"findEmailV2">): Promise<number> {
  const found = await cli.client().find(person)
  const none = found.reason ? `No address found: ${inWords(found.reason)}.` : "No address found."
  if (cli.isJson) printFacts(cli, found, [])
  else printTable(cli, found.candidates.slice(0, SHOWN_CANDIDATES), { columns: CANDIDATES, none })
  return found.best_email ? 0 : 1
}

const CANDIDATES: Readonly<Record<string, (candidate: Answer<"findEmailV2">["candidates"][number]) => Cell>> = {
  EMAIL: ({ email }) => email,
  CONFIDENCE: ({ confidence }) => percent(confidence),
  VERIFIED: ({ verified }) => yesNo(verified),
  SMTP: ({ smtp_status }) => inWords(smtp_status),
}

async function showDomain(cli: Cli, domain: string): Promise<void> {
  const known = await cli.client().domain(domain)
  const { dns, age, format } = known
  const kinds = [
    known.is_disposable && "disposable",
    known.is_free_provider && "free provider",
    known.is_government && "government",
    known.is_education && "education",
    known.is_corporate && "corporate",
  ].filter(Boolean)
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
}
