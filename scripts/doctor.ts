import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs, parseEnv } from "node:util"
import { unstable_readConfig } from "wrangler"
import { readConfig } from "../src/env.ts"
import { type Finding, tableOf } from "./doctor/finding.ts"
import { reach } from "./doctor/reach.ts"
import { forProduction, malformed } from "./doctor/settings.ts"
import { unknownNames } from "./env-file.ts"

const HELP = `npm run doctor: is this ready for production?

Reads the settings of the environment, of --env (default .env) and of [vars] in --config (default wrangler.toml), in this
order, and asks the database, the resolvers and the probe nodes. Names settings, never values. Ends with 1 when something
has to be mended.

  --env FILE      --config FILE      --offline: settings only      --json      --help`

/** What we read of wrangler.toml; wrangler's own type leans on packages that are not there. */
interface WranglerConfig {
  readonly name?: string
  readonly services: readonly { readonly binding: string; readonly service: string }[]
  readonly vars: Readonly<Record<string, unknown>>
  readonly kv_namespaces: readonly { readonly binding: string; readonly id?: string }[]
}

/** What stands in wrangler.toml for a namespace that has not been made. */
const NO_NAMESPACE = /^0+$/

async function examine(files: { env: string; config: string }, isOffline: boolean): Promise<Finding[]> {
  const wrangler: WranglerConfig = unstable_readConfig({ config: files.config })
  const vars = Object.fromEntries(Object.entries(wrangler.vars).map(([name, value]) => [name, String(value)]))
  const own = existsSync(files.env) ? parseEnv(readFileSync(files.env, "utf8")) : {}
  const given: Record<string, string | undefined> = { ...vars, ...own, ...process.env }
  const namespaces = wrangler.kv_namespaces.map(({ binding, id }): Finding => {
    const isOurs = id !== undefined && !NO_NAMESPACE.test(id)
    const detail = isOurs ? "has an id" : "has no id: wrangler kv namespace create, and write it to wrangler.toml"
    return { about: `KV ${binding}`, result: isOurs ? "ok" : "fail", detail }
  })
  const strangers = wrangler.services
    .filter(({ service }) => service !== wrangler.name)
    .map(({ binding }): Finding => {
      const detail = "calls a Worker of another name: service has to be the name at the top of wrangler.toml"
      return { about: `service ${binding}`, result: "fail", detail }
    })
  const unknown = unknownNames(files.env).map((about): Finding => {
    return { about, result: "warn", detail: `stands in ${files.env} and is no setting` }
  })
  const parts = [...namespaces, ...strangers, ...unknown]
  const read = await readConfig(given)
  if (!read.ok) return [...parts, ...malformed(read.problems, given)]
  const settings = forProduction({ given, config: read.config, vars })
  return [...parts, ...settings, ...(isOffline ? [] : await reach(read.config))]
}

const { values } = parseArgs({
  options: {
    env: { type: "string", default: ".env" },
    config: { type: "string", default: fileURLToPath(new URL("../wrangler.toml", import.meta.url)) },
    offline: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
if (values.help) console.log(HELP)
else {
  const findings = await examine(values, values.offline)
  console.log(values.json ? JSON.stringify(findings, null, 2) : tableOf(findings))
  if (findings.some(({ result }) => result === "fail")) process.exitCode = 1
}
