import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readSettingsFile } from "../dev/settings.ts"
import { type Finding, tableOf } from "./finding.ts"
import { recordTable } from "./machine/dns-records.ts"
import { examineMachine, type MachineReport } from "./machine/examine.ts"

const HELP = `npm run doctor: checks whether this service is ready for production.

  --machine       checks this machine, on which npm start runs the service: settings, port 25, DNS records, TLS, the
                  proxy, clock, disk, open files and the last backup. It prints the DNS records to publish.
  --cloudflare    checks a deployment to Cloudflare: settings, wrangler.toml, database, resolvers and probe nodes.

Without either, it checks the deployment when wrangler.toml names a KV namespace, and this machine otherwise. Settings
come from the environment, then from --env (default: the file of npm start). Secrets that npm start generated count,
too. Prints names of settings, never secrets. Exits with 1 when a check fails.

  --env FILE      --config FILE (wrangler.toml)      --offline: no call to another host      --json      --help`

const { values } = parseArgs({
  options: {
    machine: { type: "boolean", default: false },
    cloudflare: { type: "boolean", default: false },
    env: { type: "string" },
    config: { type: "string", default: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)) },
    offline: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

/** Whether the deployment has been prepared: a new clone has a placeholder of zeros. */
function isDeployment(config: string): boolean {
  return existsSync(config) && /^\s*id = "(?!0+")/m.test(readFileSync(config, "utf8"))
}

/** Prints the result for programs or for people. */
function print(doctor: "machine" | "cloudflare", report: { readonly findings: readonly Finding[] }): void {
  if (values.json) return void console.log(JSON.stringify({ doctor, ...report }, null, 2))
  console.log(`Checked ${doctor === "machine" ? "this machine" : "the deployment to Cloudflare"} (--${doctor}).\n`)
  console.log(tableOf(report.findings))
  if (doctor !== "machine") return
  const { records, hoster, ticket } = report as MachineReport
  if (records.length > 0) console.log(`\nDNS records:\n\n${recordTable(records)}`)
  if (ticket === null && hoster) console.log(`\nProvider: ${hoster.name}. Port 25 is ${hoster.rule}.`)
  if (ticket !== null) console.log(`\nText for the provider${hoster ? ` (${hoster.name})` : ""}:\n\n${ticket}`)
}

if (values.help) console.log(HELP)
else {
  useProxyFromEnvironment()
  const { config, offline: isOffline, cloudflare, machine } = values
  if (!values.json && process.stderr.isTTY) console.error("This takes up to 30 seconds.")
  const ofDeployment = cloudflare || (!machine && isDeployment(config))
  // The service's own file, which npm start reads.
  const env = values.env ?? (ofDeployment ? null : readSettingsFile()) ?? ".env"
  // wrangler is no package of an installed release, so it is loaded for a deployment only.
  const report = ofDeployment
    ? {
        findings: await (await import("./examine.ts")).examine({
          environment: process.env,
          files: { env, config },
          isOffline,
        }),
      }
    : await examineMachine({ environment: process.env, file: env, isOffline })
  print(ofDeployment ? "cloudflare" : "machine", report)
  if (report.findings.some(({ result }) => result === "fail")) process.exitCode = 1
}
