import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** [name, command]. Each runs also when one before it failed, so that a single run shows every failure. */
const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ["tests", ["npx", "vitest", "run", "--config", "test/vitest.config.ts"]],
  ["Python client", ["bash", "scripts/ci-python.sh"]],
  ["attacks", ["npm", "run", "-s", "test:attack"]],
  ["tests on sqld", ["bash", "scripts/ci-sqld.sh"]],
  ["MCP Inspector", ["bash", "scripts/ci-mcp.sh"]],
  ["n8n node", ["bash", "scripts/ci-n8n.sh"]],
  ["client in each runtime", ["bash", "scripts/ci-runtimes.sh"]],
  ["OpenAPI document", ["bash", "scripts/ci-openapi.sh"]],
  ["container", ["bash", "scripts/ci-container.sh"]],
  ["benches", ["bash", "scripts/ci-benches.sh"]],
]
const ROOT = join(import.meta.dirname, "../..")

const folder = mkdtempSync(join(tmpdir(), "mailverdict-test-all-"))
const countsFile = join(folder, "counts")
const report: string[] = []
const failures: string[] = []
let [passed, failed] = [0, 0]

for (const [name, [file, ...args]] of STEPS) {
  console.log(`\n[test:all] ${name}: ${[file, ...args].join(" ")}`)
  writeFileSync(countsFile, "")
  const startedAt = Date.now()
  const code = await run(file!, args)
  const written = readFileSync(countsFile, "utf8")
  const counts = [...written.matchAll(/^(\d+) passed, (\d+) failed$/gm)]
  const ofStep = { passed: sum(counts.map(([, count]) => count!)), failed: sum(counts.map(([, , count]) => count!)) }
  // A step without counts is one test, and a step that died failed, whatever it counted before.
  if (code === 0 && counts.length === 0) ofStep.passed = 1
  if (code !== 0 && ofStep.failed === 0) ofStep.failed = 1
  failures.push(...[...written.matchAll(/^failed: (.+)$/gm)].map(([, failure]) => `${name}: ${failure}`))
  passed += ofStep.passed
  failed += ofStep.failed
  const seconds = Math.round((Date.now() - startedAt) / 1_000)
  report.push(`${String(seconds).padStart(6)} s  ${name}: ${ofStep.passed} passed, ${ofStep.failed} failed`)
}
rmSync(folder, { recursive: true })

// A reader of the last lines alone sees what failed.
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join("\n")}`)
console.log(`\n${report.join("\n")}\n\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs a command with its output here. @returns its exit code; 1 when a signal ended it */
async function run(file: string, args: readonly string[]): Promise<number> {
  const child = spawn(file, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, TEST_COUNTS: countsFile },
  })
  const [code] = (await once(child, "close")) as [number | null]
  return code ?? 1
}

function sum(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Number(text), 0)
}
