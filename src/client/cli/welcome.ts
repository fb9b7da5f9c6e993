import { type Cli, printFacts } from "./cli.ts"
import { paint, print } from "./terminal.ts"
import { leftOf } from "./usage.ts"

const NEXT: readonly (readonly [command: string, does: string])[] = [
  ["mailverdict verify ada@example.com", "one address"],
  ["mailverdict lists upload customers.csv --out results.csv", "a list"],
  ["mailverdict find Ada Lovelace example.com", "a person's address"],
  ["mailverdict webhooks listen --forward-to http://localhost:3000/hook", "events on your machine"],
]

/** `mailverdict` alone: what to do first. */
export async function welcome(cli: Cli): Promise<number> {
  const { terminal } = cli
  const { url, apiKey } = cli.settings()
  if (apiKey === undefined) {
    printFacts(cli, { signed_in: false, url, next: "mailverdict login" }, [
      ["service", url],
      ["sign in", "mailverdict login"],
      ["without a key", "mailverdict verify ada@example.com (a few each minute)"],
      ["all commands", "mailverdict --help"],
    ])
    return 0
  }
  const client = cli.client()
  const [account, usage] = await Promise.all([client.account(), client.usage()])
  printFacts(cli, { signed_in: true, url, ...account, ...usage }, [
    ["account", [account.email, "bold"]],
    ["credits left", leftOf(usage)],
    ["service", url],
  ])
  if (cli.isJson) return 0
  print(terminal, "\nNext:")
  const width = Math.max(...NEXT.map(([command]) => command.length))
  for (const [command, does] of NEXT) print(terminal, `  ${command.padEnd(width)}  ${paint(terminal, "grey", does)}`)
  print(terminal, "\nAll commands: mailverdict --help")
  return 0
}
