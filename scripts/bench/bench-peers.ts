import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ensureBuilt } from "../build/built.ts"
import type { Run } from "./peers/measure.ts"
import { type Installed, install, PEERS, type Peer, runInSandboxNetwork } from "./peers/peers.ts"
import { reportOf, rowOf } from "./peers/report.ts"

/**
 * Compares this service with open email verifiers on the sandbox internet. docs/comparison.md says what it measures.
 * Downloads the peers into .cache/peers. `--json` prints every answer. Names of peers select those.
 */
const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true })
const isSelected = ({ name }: Peer) => positionals.length === 0 || positionals.includes(name)
const root = new URL("../../", import.meta.url)
const step = (text: string) => console.error(`... ${text}`)

await ensureBuilt({ onBuild: () => step("building the Worker and the console") })
const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string }
const adapter = fileURLToPath(new URL("peers/adapters/node.ts", import.meta.url))
const verifiers: Installed[] = [
  { name: "mailverdict", version, command: [process.execPath, adapter, "mailverdict"], problem: null },
]
for (const peer of PEERS.filter(isSelected)) {
  step(`installing ${peer.name} ${peer.version}`)
  verifiers.push(await install(peer, fileURLToPath(new URL(".cache/peers/", root))))
}
const runs = JSON.parse(await runInSandboxNetwork("measure.ts", [JSON.stringify(verifiers)])) as Run[]
const rows = runs.map(rowOf)
console.log(values.json ? JSON.stringify(rows, null, 2) : reportOf(rows))
