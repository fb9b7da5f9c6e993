import { Command } from "commander"
import { readEnvFile } from "../dev/settings.ts"
import { openService, runCommand, signInLink } from "./service.ts"

interface Options {
  readonly account?: string
  readonly baseUrl?: string
}

readEnvFile()
await new Command("npm run sign-in --")
  .description("Print a link that signs in to the console once, for 15 minutes. The service must run.")
  .option("--account <account>", "an account's id, a key's id or a proven mailbox; by default the owner's account")
  .option("--base-url <url>", "a service elsewhere, with its ADMIN_SECRET; by default the one of DATA_DIR")
  .action(({ account, baseUrl }: Options) =>
    runCommand(async () => {
      const service = openService({ dataDir: process.env.DATA_DIR || ".data", settings: process.env, baseUrl })
      const { url, email } = await signInLink(service, account)
      // The link alone is on stdout.
      console.error(`Signs in as ${email}, once, within 15 minutes:`)
      console.log(url)
    }),
  )
  .parseAsync()
