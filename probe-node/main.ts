import { fail } from "./commands/arguments.ts"
import { check } from "./commands/check.ts"
import { doctor } from "./commands/doctor.ts"
import { enrol } from "./commands/enrol.ts"
import { keygen } from "./commands/keygen.ts"
import { serve } from "./commands/serve.ts"

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = { serve, doctor, check, enrol, keygen }

const [name = "serve", ...args] = process.argv.slice(2)
if (Object.hasOwn(COMMANDS, name)) await COMMANDS[name]!(args)
else fail([`unknown command ${JSON.stringify(name)}: use one of ${Object.keys(COMMANDS).join(", ")}`])
