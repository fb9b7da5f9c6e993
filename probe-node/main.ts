import { RELEASE } from "../schema/wire/version.ts"
import { fail } from "./commands/arguments.ts"
import { check } from "./commands/check.ts"
import { doctor } from "./commands/doctor.ts"
import { enrol, keygen } from "./commands/enrol.ts"
import { serve } from "./commands/serve.ts"

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = { serve, doctor, check, enrol, keygen }

const HELP = `node probe-node.mjs [command] [--settings FILE]

  serve              answers probe requests (default)
  doctor             checks the node's setup
  check ADDRESS      probes one address and prints the SMTP transcript
  enrol              registers the node with an edge
  keygen KEYID       generates a key pair
  --version          prints the version

Settings come from the environment and from probe.env. The README lists them.
`

// The reader may close the pipe early, as in `check … | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})
const [first = "serve", ...rest] = process.argv.slice(2)
const [name, args] = first.startsWith("-") ? ["serve", [first, ...rest]] : [first, rest]
if (/^(--help|-h|help)$/.test(first)) process.stdout.write(HELP)
else if (/^(--version|-v|version)$/.test(first)) process.stdout.write(`${RELEASE}\n`)
else if (Object.hasOwn(COMMANDS, name)) await COMMANDS[name]!(args)
else fail([`unknown command ${JSON.stringify(name)}: use one of ${Object.keys(COMMANDS).join(", ")}`])
