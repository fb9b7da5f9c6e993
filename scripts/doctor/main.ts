import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { examine } from "./examine.ts"
import { tableOf } from "./finding.ts"

const HELP = `npm run doctor: checks whether this service is ready for production.

Reads settings from the environment, from --env (default .env) and from [vars] in --config (default wrangler.toml), in
this order. Then checks the database, the resolvers and the probe nodes. Prints names of settings, never values. Exits
with 1 when a check fails.

  --env FILE      --config FILE      --offline: settings only      --json      --help`

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
  const { env, config, offline, json } = values
  const findings = await examine({ environment: process.env, files: { env, config }, isOffline: offline })
  console.log(json ? JSON.stringify(findings, null, 2) : tableOf(findings))
  if (findings.some(({ result }) => result === "fail")) process.exitCode = 1
}
