import { appendFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule, TestRunEndReason } from "vitest/node"
import { loggedBetween } from "./stack-log.ts"

const SLOWEST = 20
const LOG_LINES = 40

/**
 * Ends a run with its slowest files and the line "N passed, N failed". Below a failed test it prints what the shared
 * stack logged during the test. `TEST_COUNTS`, when set, names a file that gets that line too.
 */
export class RunReport implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.result().state !== "failed") return
    const { startTime = 0, duration = 0 } = test.diagnostic() ?? {}
    const lines = loggedBetween(startTime, startTime + duration)
    if (lines.length === 0) return
    const left = lines.length - LOG_LINES
    console.log(`\nThe stack's log during "${test.fullName}"${left > 0 ? `, without its first ${left} lines` : ""}:`)
    console.log(lines.slice(-LOG_LINES).join("\n"))
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((one) => [...one.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that cannot be loaded has no failed test, and an unhandled error belongs to none.
    const unloaded = modules.filter((one) => one.state() === "failed" && one.errors().length > 0).length
    const failed = count("failed") + unloaded + unhandledErrors.length
    // A run without any test, for example because the stack did not start, has failed too.
    const line = `${count("passed")} passed, ${failed || (reason === "passed" && tests.length > 0 ? 0 : 1)} failed`
    if (modules.length > SLOWEST) console.log(`\nThe slowest files:\n${slowest(modules).join("\n")}`)
    console.log(`\n${line}`)
    if (process.env.TEST_COUNTS) appendFileSync(process.env.TEST_COUNTS, `${line}\n`)
  }
}

function slowest(modules: readonly TestModule[]): string[] {
  const secondsOf = (one: TestModule) => {
    const { duration, collectDuration, setupDuration } = one.diagnostic()
    return (duration + collectDuration + setupDuration) / 1_000
  }
  return [...modules]
    .sort((a, b) => secondsOf(b) - secondsOf(a))
    .slice(0, SLOWEST)
    .map((one) => `${secondsOf(one).toFixed(1).padStart(7)} s  ${relative(process.cwd(), one.moduleId)}`)
}
