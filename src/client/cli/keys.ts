import { type Command, Option } from "commander"
import type { CreateKeyInput } from "../operations.ts"
import type { Key } from "../resources/account.ts"
import { orUnlimited } from "./account.ts"
import { type Cli, printFacts, printTable } from "./cli.ts"
import { configFile, readConfig, UsageError, writeConfig } from "./config.ts"
import { commaSeparated } from "./flags.ts"
import { type Cell, moment, print, report } from "./terminal.ts"

type Tier = NonNullable<CreateKeyInput["tier"]>
/** The keys are all tiers of the published interface: without one, this does not compile. */
const TIERS = Object.keys({ free: 0, starter: 1, pro: 2, enterprise: 3, unlimited: 4 } satisfies Record<Tier, number>)
/** What a key may be allowed to call. */
export const SCOPES = ["verify", "lists", "find", "suppression", "feedback", "account"] as const
/** Lifts a restriction. */
const NONE = "none"

/** Restrictions as flags. */
interface Restrictions {
  readonly expiresAt?: string
  readonly scopes?: readonly string[]
  readonly networks?: readonly string[]
  readonly origins?: readonly string[]
}

function withRestrictions(command: Command): Command {
  return command
    .option("--expires-at <time>", "refuse the key from this time on, such as 2030-01-31T00:00:00Z")
    .addOption(
      new Option("--scopes <scopes>", `allow only these calls: ${SCOPES.join(",")}`).argParser(
        commaSeparated([...SCOPES, NONE]),
      ),
    )
    .addOption(
      new Option("--networks <networks>", "allow only these IP addresses and networks").argParser(commaSeparated()),
    )
    .addOption(new Option("--origins <origins>", "allow only pages of these origins").argParser(commaSeparated()))
}

export function addKeyCommands(program: Command, cli: Cli): void {
  const keys = program.command("keys").description("manage the account's API keys")
  keys
    .command("list")
    .description("show all keys, without their secrets")
    .action(async () => {
      const none = "No keys yet. To create one: mailverdict keys create <name>"
      printTable(cli, await cli.client().keys.list(), { columns: COLUMNS, none })
    })
  withRestrictions(keys.command("create"))
    .argument("<name>", "a name to recognize the key by")
    .argument("[owner-email]", "mailbox of the account; needed without a key")
    .description("create a key and print its secret, once")
    .addOption(new Option("--tier <tier>", "the key's plan, at most the account's").choices(TIERS))
    .option("--test", "a key for tests: it verifies only sandbox addresses under .test, for free")
    .addHelpText("after", EXAMPLES)
    .action((name: string, email: string | undefined, options) => createKey(cli, { name, email }, options))
  keys
    .command("rotate <key-id>")
    .description("replace a key and print the new secret, once; the old one stops working at once")
    .action((keyId: string) => rotateKey(cli, keyId))
  keys
    .command("revoke <key-id>")
    .description("revoke a key at once and for good")
    .action(async (keyId: string) => {
      printFacts(cli, await cli.client().keys.revoke(keyId), [
        ["key", keyId],
        ["state", ["revoked", "grey"]],
      ])
    })
  withRestrictions(keys.command("restrict <key-id>"))
    .description('change what a key may do; "none" lifts a restriction')
    .action((keyId: string, options) => restrictKey(cli, keyId, options))
}

const EXAMPLES = `
Examples:
  $ mailverdict keys create "sign-up form" --scopes verify --origins https://www.example.com
  $ export MAILVERDICT_API_KEY=$(mailverdict keys create ci --test)`

const COLUMNS: Readonly<Record<string, (key: Key) => Cell>> = {
  "KEY ID": ({ key_id }) => key_id,
  NAME: ({ name }) => name,
  KEY: ({ last4 }) => `…${last4}`,
  STATE: ({ is_active, expired }) =>
    !is_active ? ["revoked", "grey"] : expired ? ["expired", "yellow"] : ["active", "green"],
  PLAN: ({ tier }) => tier,
  CREDITS: ({ credits_this_month, monthly_limit }) => `${credits_this_month}/${orUnlimited(monthly_limit)}`,
  SCOPES: ({ scopes }) => scopes?.join(",") ?? "all",
  "LAST USED": ({ last_used }) => (last_used === null ? ["never", "grey"] : moment(fromUnix(last_used))),
}

const fromUnix = (seconds: number) => new Date(seconds * 1_000).toISOString()

/** Prints only the secret to stdout, so that a script can store it. */
async function createKey(
  cli: Cli,
  { name, email }: { name: string; email: string | undefined },
  { tier, test: isTest = false, ...restrictions }: Restrictions & { readonly tier?: Tier; readonly test?: boolean },
): Promise<void> {
  const client = cli.client()
  if (email === undefined && cli.settings().apiKey === undefined)
    throw new UsageError("<owner-email> is missing. Name the account's mailbox, or run: mailverdict login")
  const owner_email = email ?? (await client.account()).email
  const created = await client.keys.create({
    name,
    owner_email,
    ...(tier && { tier }),
    ...(isTest && { kind: "test" }),
    ...fieldsOf(restrictions),
  })
  const confirm = `It belongs to no account yet. To join it: mailverdict login --email ${owner_email} --api-key <key>`
  printSecret(cli, created, `${created.key_id}: ${created.warning}${created.confirm ? `\n${confirm}` : ""}`)
}

/** Rotating the key of this command line also replaces the stored one. */
async function rotateKey(cli: Cli, keyId: string): Promise<void> {
  const { terminal } = cli
  const client = cli.client()
  const stored = readConfig(terminal)
  const isStored = stored.api_key === cli.settings().apiKey && (await client.account()).key_id === keyId
  const rotated = await client.keys.rotate(keyId)
  // Printed before it is stored: the old key is gone, and the file may not be writable.
  printSecret(cli, rotated, `${rotated.key_id} replaces ${keyId}. Store it: it is shown only once.`)
  if (!isStored) return
  try {
    writeConfig(terminal, { ...stored, api_key: rotated.api_key })
  } catch (error) {
    throw new UsageError(`the new key is not stored in ${configFile(terminal)}: ${(error as Error).message}`)
  }
  report(terminal, "It is stored for this command line.")
}

/** The secret goes to stdout alone, also in a pipe. */
function printSecret({ terminal, wantsJson }: Cli, key: { readonly api_key: string }, note: string): void {
  report(terminal, note)
  print(terminal, wantsJson ? JSON.stringify(key) : key.api_key)
}

async function restrictKey(cli: Cli, keyId: string, restrictions: Restrictions): Promise<void> {
  const fields = fieldsOf(restrictions)
  if (Object.keys(fields).length === 0)
    throw new UsageError("nothing to change. Name --scopes, --networks, --origins or --expires-at")
  const key = await cli.client().keys.update(keyId, fields)
  printFacts(cli, key, [
    ["key", `${key.key_id} (${key.name})`],
    ["scopes", key.scopes?.join(", ") ?? "all"],
    ["networks", key.allowed_networks?.join(", ") ?? "all"],
    ["origins", key.allowed_origins?.join(", ") ?? "all"],
    ["expires", key.expires_at ? moment(key.expires_at) : "never"],
  ])
}

type RestrictionFields = Pick<CreateKeyInput, "expires_at" | "scopes" | "allowed_networks" | "allowed_origins">

/** The interface's fields of the given flags. `none` is null there. @throws UsageError for `none` beside other words */
function fieldsOf({ expiresAt, scopes, networks, origins }: Restrictions): RestrictionFields {
  const listOf = (flag: string, field: string, words: readonly string[] | undefined) => {
    const isNone = words?.includes(NONE)
    // Of "verify,none", null would lift the restriction.
    if (isNone && words?.length !== 1) throw new UsageError(`${flag}: "${NONE}" must be the only word`)
    return words && { [field]: isNone ? null : [...words] }
  }
  return {
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt === NONE ? null : expiresAt }),
    ...listOf("--scopes", "scopes", scopes),
    ...listOf("--networks", "allowed_networks", networks),
    ...listOf("--origins", "allowed_origins", origins),
  }
}
