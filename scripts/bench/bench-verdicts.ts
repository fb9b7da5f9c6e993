import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ensureBuilt } from "../build/built.ts"
import { reportStep } from "./bench-run.ts"
import type { Run } from "./verdicts/measure.ts"
import { measureReplies, measureServers, type Part, sandboxPart } from "./verdicts/parts.ts"
import { type Installed, install, PEERS, runInSandboxNetwork } from "./verdicts/peers.ts"
import { quotesOf, type Row, reportOf, reportOfParts, rowOf } from "./verdicts/report.ts"

/**
 * Scores our verdicts on published cases: the sandbox, real mail servers and labelled replies. Open verifiers run on the
 * sandbox. docs/comparison.md describes the options and what it measures.
 */
const PARTS = ["sandbox", "servers", "replies"] as const
const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: [...PARTS] },
    peer: { type: "string", multiple: true, default: [] },
    reacher: { type: "string" },
    aftership: { type: "string" },
    json: { type: "boolean", default: false },
  },
})
checkNames("--part", values.part, PARTS)
const peerNames = PEERS.map(({ name }) => name)
checkNames("--peer", values.peer, [...peerNames, "all"])

const root = new URL("../../", import.meta.url)
/** Programs that were built from an adapter before, by name of the peer. */
const given: Readonly<Record<string, string | undefined>> = {
  "check-if-email-exists": values.reacher,
  "github.com/AfterShip/email-verifier": values.aftership,
}

const rows = values.part.includes("sandbox") ? await measureSandbox() : []
const parts: readonly Part[] = [
  ...rows.slice(0, 1).map(sandboxPart),
  ...(values.part.includes("servers") ? [await measureServers()] : []),
  ...(values.part.includes("replies") ? measureReplies() : []),
]
if (values.json) console.log(JSON.stringify({ verifiers: rows, parts }, null, 2))
else {
  if (rows.length > 0) console.log(`${reportOf(rows)}\n`)
  console.log(`${reportOfParts(parts)}\n`)
  console.log(quotesOf(parts, { measuredAt: new Date(), commit: commitOfService() }))
}

/** Our service first, then the peers, each on a new sandbox. */
async function measureSandbox(): Promise<readonly Row[]> {
  await ensureBuilt({ onBuild: () => reportStep("building the Worker and the console") })
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string }
  const adapter = fileURLToPath(new URL("verdicts/adapters/node.ts", import.meta.url))
  const verifiers: Installed[] = [
    { name: "mailverdict", version, command: [process.execPath, adapter, "mailverdict"], problem: null },
  ]
  for (const peer of PEERS) {
    const program = given[peer.name]
    if (program !== undefined)
      verifiers.push({ name: peer.name, version: "given", command: [resolve(program)], problem: null })
    else if (values.peer.includes(peer.name) || values.peer.includes("all")) {
      reportStep(`installing ${peer.name} ${peer.version}`)
      verifiers.push(await install(peer, fileURLToPath(new URL(".cache/peers/", root))))
    }
  }
  const runs = JSON.parse(await runInSandboxNetwork("measure.ts", [JSON.stringify(verifiers)])) as Run[]
  return runs.map(rowOf)
}

/** The last commit that changed the service, whatever later commits say about it. */
function commitOfService(): string {
  const service = ["src", "probe-node", "schema"]
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
  const commit = git("log", "-1", "--format=%h", "--abbrev=8", "--", ...service)
  return git("status", "--porcelain", "--", ...service) ? `${commit} with local changes` : commit
}

/** @throws Error that names the flag */
function checkNames(flag: string, names: readonly string[], known: readonly string[]): void {
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined) throw new Error(`${flag} ${wrong}: use ${known.join(", ")}`)
}
