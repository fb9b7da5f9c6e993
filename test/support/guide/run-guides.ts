import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { selfSigned } from "../providers/self-signed.ts"
import { PROJECT, stepsOf } from "../stack/guide-steps.ts"
import { type Treatment, treatmentOf } from "./treatments.ts"

/** A command of a guide, and what it printed. */
export interface RunCommand {
  readonly heading: string
  readonly command: string
  readonly treatment: Treatment | null
  readonly printed: string
  /** Null: it did not run. */
  readonly code: number | null
}

/** A block of commands and the lines that the guide shows below it. */
export interface RunStep {
  readonly commands: readonly RunCommand[]
  readonly output: readonly string[]
}

/** The sandbox internet, because the root has no other. The environment has precedence over `.env`. */
const SANDBOX = "SANDBOX=1 PROBE_HELO=probe.mailverdict.test PROBE_MAIL_FROM=probe@mailverdict.test LOG_FORMAT=json"
const WORKER = `${SANDBOX} DATA_DIR=/run/guide-worker PORT=0 CLIENT_IP_HEADER=x-real-ip FLEET_ALLOW_HOSTS=probe1.example.com`
const LIMIT_MS = 200_000

/** Runs the commands of the guides in their order, each guide in one shell and one clone, all in the same clean root. */
export function runGuides(folder: string, documents: readonly string[]): Map<string, RunStep[]> {
  const { cert, key } = selfSigned("api.example.com")
  writeFileSync(join(folder, "cert.pem"), cert)
  writeFileSync(join(folder, "key.pem"), key)
  copyProject(join(folder, "repository"))
  const scripts = documents.map((_, index) => join(folder, `guide-${index}.sh`))
  for (const [index, document] of documents.entries())
    writeFileSync(scripts[index]!, scriptOf(document, `/root/guide-${index}`))
  const enter = [join(PROJECT, "test/support/guide/enter.sh"), folder, PROJECT]
  const namespaces = ["--mount", "--net", "--pid", "--mount-proc", "--fork", "--kill-child"]
  const ended = spawnSync("unshare", [...namespaces, "bash", ...enter], {
    env: { ...QUIET, PATH: process.env.PATH, GUIDE_SERVICE: SANDBOX, GUIDE_WORKER: WORKER },
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  })
  if (ended.status !== 0) throw new Error(`the guides did not run to their end: ${ended.stdout}${ended.stderr}`)
  return new Map(documents.map((document, index) => [document, readSteps(document, `${scripts[index]}.out`)]))
}

const QUIET = { WRANGLER_SEND_METRICS: "false", CI: "1", NO_COLOR: "1" }

/** A repository with the files as they are now, committed or not. */
function copyProject(target: string): void {
  mkdirSync(target, { recursive: true })
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: PROJECT, encoding: "utf8" })
  const files = listed.split("\n").filter((path) => path !== "" && existsSync(join(PROJECT, path)))
  const archive = execFileSync("tar", ["-cf", "-", "-T", "-"], {
    cwd: PROJECT,
    input: files.join("\n"),
    maxBuffer: 2 ** 28,
  })
  execFileSync("tar", ["-xf", "-"], { cwd: target, input: archive })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: target })
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-qm", "test: the project as it is")
}

function scriptOf(document: string, clone: string): string {
  const lines = ["set -u", `git clone -q "$REPOSITORY" ${clone}`, `cd ${clone}`, "COMMIT=$(git rev-parse HEAD)"]
  for (const [step, { heading, commands }] of stepsOf(document).entries())
    for (const [index, command] of commands.entries()) {
      const treatment = treatmentOf(command, heading)
      if (treatment?.kind !== "run") continue
      const text = (treatment.replace ?? []).reduce((now, [from, to]) => now.replaceAll(from, to), command)
      const body = treatment.until ? retried(text, treatment.until) : text
      lines.push(
        `echo; echo "@@@ ${step} ${index}"`,
        treatment.before ?? ":",
        body,
        `guide_code=$?; echo; echo "@@@ end $guide_code"`,
        treatment.after ?? ":",
      )
    }
  return `${lines.join("\n")}\n`
}

/** Repeats a request until its answer has the text: a started service needs a moment for its node. */
function retried(command: string, text: string): string {
  return `for try in $(seq 80); do out=$(${command} 2>&1); case $out in *'${text}'*) break ;; esac; read -t 0.25 <> <(:) || :; done; echo "$out"`
}

function readSteps(document: string, file: string): RunStep[] {
  const printed = new Map<string, { text: string; code: number }>()
  for (const [, place = "", text = "", code] of readFileSync(file, "utf8").matchAll(
    /^@@@ (\d+ \d+)\n(.*?)\n@@@ end (\d+)$/gms,
  ))
    printed.set(place, { text, code: Number(code) })
  return stepsOf(document).map(({ heading, commands, output }, step) => ({
    output,
    commands: commands.map((command, index) => {
      const own = printed.get(`${step} ${index}`)
      const treatment = treatmentOf(command, heading)
      return { heading, command, treatment, printed: own?.text ?? "", code: own?.code ?? null }
    }),
  }))
}
