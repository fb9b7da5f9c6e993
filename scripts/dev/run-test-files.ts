import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposableSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "../..")

/** One test of a run. */
export interface TestOutcome {
  /** Path from the root of the project. */
  readonly file: string
  readonly name: string
  readonly passed: boolean
  /** What the test recorded about itself in `task.meta`. */
  readonly meta: unknown
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly meta: unknown }[]
  }[]
}

/** Runs whole test files with vitest. Their output goes to stderr. @throws Error when vitest writes no report */
export async function runTestFiles(
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestOutcome[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "mailverdict-test-report-"))
  const outputFile = join(folder.path, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const flags = ["run", "--config", "test/vitest.config.ts", "--reporter=default", "--reporter=json"]
  const child = spawn(process.execPath, [vitest, ...flags, `--outputFile.json=${outputFile}`, ...files], {
    cwd: root,
    env: { ...env, ...process.env },
    stdio: ["ignore", 2, 2],
  })
  await once(child, "exit")
  const { testResults } = JSON.parse(readFileSync(outputFile, "utf8")) as Report
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta }) => ({
      file: relative(root, name),
      name: fullName,
      passed: status === "passed",
      meta,
    })),
  )
}
