import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs, parseEnv } from "node:util"
import { unstable_readConfig } from "wrangler"
import { readConfig } from "../../src/env.ts"
import { unknownNames } from "../dev/env-file.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { type Finding, tableOf } from "./finding.ts"
import { reach } from "./reach.ts"
import { forProduction, malformed } from "./settings.ts"

const HELP = `npm run doctor: checks whether this service is ready for production.

Reads settings from the environment, from --env (default .env) and from [vars] in --config (default wrangler.toml), in
this order. Then checks the database, the resolvers and the probe nodes. Prints names of settings, never values. Exits
with 1 when a check fails.

  --env FILE      --config FILE      --offline: settings only      --json      --help`

/** The fields of wrangler.toml that the doctor reads. wrangler's own type needs packages that are not installed. */
interface WranglerConfig {
  readonly name?: string
  readonly services: readonly { readonly binding: string; readonly service: string }[]
  readonly vars: Readonly<Record<string, unknown>>
  readonly kv_namespaces: readonly { readonly binding: string; readonly id?: string }[]
}

/** The placeholder id of a namespace that does not exist yet. */
const NO_NAMESPACE = /^0+$/

async function examine(files: { env: string; config: string }, isOffline: boolean): Promise<Finding[]> {
  const wrangler: WranglerConfig = unstable_readConfig({ config: files.config })
  const vars = Object.fromEntries(Object.entries(wrangler.vars).map(([name, value]) => [name, String(value)]))
  const own = existsSync(files.env) ? parseEnv(readFileSync(files.env, "utf8")) : {}
  const given: Record<string, string | undefined> = { ...vars, ...own, ...process.env }
  const namespaces = wrangler.kv_namespaces.map(({ binding, id }): Finding => {
    const isCreated = id !== undefined && !NO_NAMESPACE.test(id)
    const missing = `has no id: run \`wrangler kv namespace create ${binding}\` and write the id to wrangler.toml`
    return { about: `KV ${binding}`, result: isCreated ? "ok" : "fail", detail: isCreated ? "has an id" : missing }
  })
  const foreign = wrangler.services
    .filter(({ service }) => service !== wrangler.name)
    .map(({ binding }): Finding => {
      const detail = "names another Worker: set service to the name at the top of wrangler.toml"
      return { about: `service ${binding}`, result: "fail", detail }
    })
  const unknown = unknownNames(files.env).map((about): Finding => {
    return { about, result: "warn", detail: `is in ${files.env} but is not a setting: check its spelling` }
  })
  const parts = [...namespaces, ...foreign, ...unknown]
  const read = await readConfig(given)
  if (!read.ok) return [...parts, ...malformed(read.problems, given)]
  const settings = forProduction({ given, config: read.config, vars })
  return [...parts, ...settings, ...(isOffline ? [] : await reach(read.config))]
}

const { values } = parseArgs({
  options: {
    env: { type: "string", default: ".env" },
    config: { type: "string", default: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)) },
    offline: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
if (values.help) console.log(HELP)
else {
  useProxyFromEnvironment()
  const findings = await examine(values, values.offline)
  console.log(values.json ? JSON.stringify(findings, null, 2) : tableOf(findings))
  if (findings.some(({ result }) => result === "fail")) process.exitCode = 1
}
