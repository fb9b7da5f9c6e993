import type { Command } from "commander"
import type { Answer } from "../caller.ts"
import { type Cli, printFacts } from "./cli.ts"
import { type Cell, counted, grouped, paint, print } from "./terminal.ts"

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
