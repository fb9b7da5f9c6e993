import type { Command } from "commander"
import type { Answer } from "../caller.ts"
import { type Cli, printFacts } from "./cli.ts"
import type { Cell } from "./table.ts"
import { counted, grouped } from "./words.ts"

export function addUsageCommand(program: Command, cli: Cli): void {
  program
    .command("usage")
    .description("show the credits of the month: used, left and bought")
    .action(() => cli.end(showUsage(cli)))
}

async function showUsage(cli: Cli): Promise<number> {
  const usage = await cli.client().usage()
  printFacts(cli, usage, [
    ["plan", usage.tier],
    ["month", usage.period],
    ["used", `${grouped(usage.credits_used)} of ${orUnlimited(usage.credits_limit)}`],
    ["left", leftOf(usage)],
    ["bought", usage.bought_credits_left === 0 ? null : `${grouped(usage.bought_credits_left)} left`],
    ["resets in", counted(Math.ceil(usage.resets_in_seconds / 86_400), "day")],
  ])
  return 0
}

/** Credits that can be spent now, red without any. */
export function leftOf({ credits_available }: Answer<"usage">): Cell {
  return [orUnlimited(credits_available), credits_available === 0 ? "red" : "green"]
}

export const orUnlimited = (limit: number | null) => (limit === null ? "unlimited" : grouped(limit))
