import { Argument, Command, Option } from "commander"
import { TIERS } from "../../schema/vocabulary.ts"
import type { User } from "../../src/client/operations.ts"
import { readEnvFile } from "../dev/settings.ts"
import { ensureAccount, type OperatedService, type Owner, openService, runCommand } from "./service.ts"

/** Accounts in one listing. Each takes a call. */
const MOST_ACCOUNTS = 100

interface CreateOptions {
  readonly tier: Owner["tier"]
  readonly name: string
  readonly email?: string
  readonly account?: string
}

const program = new Command("npm run keys --")
  .description("Manage the API keys of a service as its operator. The service must run.")
  .option("--base-url <url>", "a service elsewhere, with its ADMIN_SECRET; by default the one of DATA_DIR")

const act = (work: (service: OperatedService) => Promise<void>) =>
  runCommand(() => {
    const { baseUrl } = program.opts<{ baseUrl?: string }>()
    return work(openService({ dataDir: process.env.DATA_DIR || ".data", settings: process.env, baseUrl }))
  })

program
  .command("create")
  .description("create a key and print its secret, once; by default for the owner's account")
  .addOption(new Option("--tier <tier>", "the key's limits").choices(TIERS).makeOptionMandatory())
  .option("--name <name>", "a name to recognize the key by", "created by the operator")
  .addOption(new Option("--email <mailbox>", "the account of this mailbox, created if needed").conflicts("account"))
  .option("--account <account>", "an account's id, or the id of one of its keys")
  .action((options: CreateOptions) => act((service) => createKey(service, options)))
program
  .command("list")
  .description("show the keys of all accounts, without their secrets")
  .option("--search <text>", "only accounts with this part of an id, a key id or an owner's mailbox", "")
  .option("--json", "print one JSON object per line")
  .action((options: { search: string; json?: boolean }) => act((service) => listKeys(service, options)))
program
  .command("revoke <key-id>")
  .description("revoke a key at once and for good")
  .action((keyId: string) =>
    act(async ({ call }) => {
      const { account_id } = await call("revokeAnyKey", { key_id: keyId })
      console.log(`Revoked ${keyId} of ${account_id}.`)
    }),
  )
program
  .command("upgrade")
  .argument("<account>", "an account's id, the id of one of its keys, or its mailbox")
  .addArgument(new Argument("<tier>", "the plan").choices(TIERS))
  .description("set the plan of an account, and the tier of its keys")
  .action((account: string, tier: Owner["tier"]) =>
    act(async ({ call }) => {
      const changed = await call("upgradeUser", { email: account, tier })
      console.log(`${changed.account_id}: plan ${changed.tier}, before ${changed.previous_tier}.`)
    }),
  )

async function createKey(service: OperatedService, { tier, name, email, account }: CreateOptions): Promise<void> {
  const isOwner = email === undefined && account === undefined
  const owner = { email: email ?? service.owner.email, tier }
  if (account === undefined) await ensureAccount(service, isOwner ? service.owner : owner)
  const { api_key, key_id, account_id } = await service.call("createUserKey", {
    account: account ?? owner.email,
    name,
    tier,
  })
  const { plan } = await service.call("getUser", { account: account_id })
  console.error(`${key_id} of ${account_id}, tier ${tier}. The key is shown only once:`)
  // The secret alone is on stdout, so that a script can store it.
  console.log(api_key)
  if (TIERS.indexOf(plan) < TIERS.indexOf(tier))
    console.error(`The account's plan is ${plan}: its sign-ins have that plan's limits.
To change it: npm run keys -- upgrade ${account_id} ${tier}`)
}

const COLUMNS = ["KEY ID", "NAME", "KEY", "STATE", "TIER", "ACCOUNT", "OWNER"] as const

async function listKeys({ call }: OperatedService, { search, json }: { search: string; json?: boolean }) {
  const { users, next_cursor: next } = await call("listUsers", { search, limit: MOST_ACCOUNTS })
  const rows: string[][] = []
  for (const user of users) {
    for (const key of (await call("getUser", { account: user.account_id })).keys) {
      if (json) console.log(JSON.stringify({ ...key, account_id: user.account_id, owner_email: user.owner_email }))
      const state = key.is_active ? (key.expired ? "expired" : "active") : "revoked"
      rows.push([key.key_id, key.name, `…${key.last4}`, state, key.tier, user.account_id, ownerIn(user)])
    }
  }
  if (!json) console.log(rows.length === 0 ? "There are no keys." : table([[...COLUMNS], ...rows]))
  if (next !== null)
    console.error(`These are the keys of the first ${MOST_ACCOUNTS} accounts: find others by --search.`)
}

/** Names come from customers: an escape sequence in one could rewrite the screen. */
const ownerIn = ({ email, owner_email }: User) => (email === null ? `${owner_email ?? ""} (unproven)` : email)
const printable = (text: string) => text.replace(/\p{Cc}/gu, " ")

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows
    .map((row) =>
      row
        .map((text, at) => printable(text).padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

readEnvFile()
await program.parseAsync()
