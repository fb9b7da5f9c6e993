import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SMTP_NETWORK } from "../../../src/adapters/sandbox/mail-hosts.ts"
import { RBL_ZONES } from "../../../src/adapters/sandbox/zone.ts"
import { selfSigned } from "../providers/self-signed.ts"
import { PROJECT } from "../stack/guide-steps.ts"
import { commandsOn, type GuideCommand, type Journey } from "./journeys.ts"

/** A command that ran, and what it printed. */
export interface RanCommand extends GuideCommand {
  readonly printed: string
  /** Null: the journey ended before it. */
  readonly code: number | null
}

interface Files {
  readonly folder: string
  readonly repository: string
}

/** The sandbox internet of the root. The environment has precedence over the settings file. */
const INTERNET = [
  "DOH_URL=http://127.0.0.1:8054/dns-query",
  "PROBE_DNS=127.0.0.1:5354",
  `PROBE_SANDBOX=${SMTP_NETWORK}:2525`,
  "PROBE_SOURCE_IPS=127.0.0.1,127.0.0.2",
  `PROBE_RBL_ZONES=${RBL_ZONES.join(",")}`,
  "PROBE_DOCTOR_HOSTS=mailbox.test,catch-all.test",
  "PROBE_CLOCK_URLS=off",
  "PROBE_HELO=probe.mailverdict.test",
  "PROBE_MAIL_FROM=probe@mailverdict.test",
]
const SERVICE = [...INTERNET, "LOG_FORMAT=json"].join(" ")
/** The Worker of the deployment, which has a sandbox of its own. */
const WORKER = [
  "SANDBOX=1 PROBE_HELO=probe.mailverdict.test PROBE_MAIL_FROM=probe@mailverdict.test LOG_FORMAT=json",
  "DATA_DIR=/run/guide-worker PORT=0 CLIENT_IP_HEADER=x-real-ip FLEET_ALLOW_HOSTS=probe1.example.com",
].join(" ")
/** As on a new machine, behind the stand-ins of the root. */
const PATH = "/srv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/** A guard against a hang: a journey takes up to 40 seconds on two quiet cores. */
export const LIMIT_MS = 600_000

/**
 * Runs the commands of a journey in their order, in one shell in a clean root of its own.
 * @param folder an empty one, for the files of the root
 * @param repository what its reader clones
 */
export function runJourney(journey: Journey, { folder, repository }: Files): RanCommand[] {
  const { cert, key } = selfSigned("api.example.com")
  writeFileSync(join(folder, "cert.pem"), cert)
  writeFileSync(join(folder, "key.pem"), key)
  writeFileSync(join(folder, "journey.sh"), scriptOf(journey))
  const enter = [join(PROJECT, "test/support/guide/enter.sh"), folder, PROJECT, repository, process.execPath]
  const namespaces = ["--mount", "--net", "--pid", "--mount-proc", "--fork", "--kill-child"]
  const ended = spawnSync("unshare", [...namespaces, "bash", ...enter], {
    env: { WRANGLER_SEND_METRICS: "false", CI: "1", NO_COLOR: "1", PATH, GUIDE_SERVICE: SERVICE, GUIDE_WORKER: WORKER },
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  })
  if (ended.status !== 0) throw new Error(`the journey did not run to its end: ${ended.stdout}${ended.stderr}`)
  return readCommands(journey, join(folder, "journey.sh.out"))
}

const placeOf = ({ document, step, index }: GuideCommand) => `${document} ${step} ${index}`

function scriptOf(journey: Journey): string {
  const lines = ["set -u", "cd /root"]
  let document = ""
  for (const own of commandsOn(journey)) {
    if (own.treatment?.kind !== "run") continue
    if (own.document !== document) {
      document = own.document
      lines.push(journey.before[document] ?? ":")
    }
    const { replace = [], before = ":", after = ":", until } = own.treatment
    const text = replace.reduce((now, [from, to]) => now.replaceAll(from, to), own.command)
    const body = until ? retried(text, until) : text
    lines.push(
      before,
      `echo; echo "@@@ ${placeOf(own)}"`,
      body,
      `guide_code=$?; echo; echo "@@@ end $guide_code"`,
      after,
    )
  }
  return `${lines.join("\n")}\n`
}

/** Repeats a request until its answer has the text: a started service needs a moment for its node. */
function retried(command: string, text: string): string {
  return `for try in $(seq 80); do out=$(${command} 2>&1); case $out in *'${text}'*) break ;; esac; read -t 0.25 <> <(:) || :; done; echo "$out"`
}

function readCommands(journey: Journey, file: string): RanCommand[] {
  const printed = new Map<string, { text: string; code: number }>()
  for (const [, place = "", text = "", code] of readFileSync(file, "utf8").matchAll(
    /^@@@ (\S+ \d+ \d+)\n(.*?)\n@@@ end (\d+)$/gms,
  ))
    printed.set(place, { text, code: Number(code) })
  return commandsOn(journey).map((own) => {
    const ran = printed.get(placeOf(own))
    return { ...own, printed: ran?.text ?? "", code: ran?.code ?? null }
  })
}
