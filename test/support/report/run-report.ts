import { appendFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule, TestRunEndReason } from "vitest/node"
import { loggedBetween } from "./stack-log.ts"

const SLOWEST = 20
const LOG_LINES = 40

/**
 * Ends a run with its slowest files and the line "N passed, N failed". Below a failed test it prints what the shared
 * stack logged during the test. `TEST_COUNTS`, when set, names a file that gets that line too, after a line for each
 * failure: "failed: file > test: reason".
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
    const passed = tests.filter((test) => test.result().state === "passed").length
    const failures = failuresOf(modules, tests, unhandledErrors)
    // A run without any test, for example because the stack did not start, has failed too.
    if (failures.length === 0 && (reason !== "passed" || tests.length === 0)) failures.push(`the run: ${reason}`)
    const line = `${passed} passed, ${failures.length} failed`
    if (modules.length > SLOWEST) console.log(`\nThe slowest files:\n${slowest(modules).join("\n")}`)
    console.log(`\n${line}`)
    if (!process.env.TEST_COUNTS) return
    appendFileSync(process.env.TEST_COUNTS, `${failures.map((one) => `failed: ${one}\n`).join("")}${line}\n`)
  }
}

/** A line for each failure. A file that cannot be loaded and a failed hook have no failed test, an unhandled error no file. */
function failuresOf(modules: readonly TestModule[], tests: readonly TestCase[], unhandledErrors: readonly unknown[]) {
  const nameOf = (one: TestModule) => relative(process.cwd(), one.moduleId)
  return [
    ...tests
      .filter((test) => test.result().state === "failed")
      .map((test) => `${nameOf(test.module)} > ${test.fullName}: ${reasonOf(test.result().errors?.[0])}`),
    ...modules.flatMap((module) =>
      [module, ...module.children.allSuites()]
        .filter((one) => one.errors().length > 0)
        .map((one) => `${nameOf(module)}: ${reasonOf(one.errors()[0])}`),
    ),
    ...unhandledErrors.map((error) => `no test: ${reasonOf(error)}`),
  ]
}

/** An error's message in one line of at most 300 characters. */
function reasonOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return String(message ?? error)
    .replaceAll(/\s+/g, " ")
    .slice(0, 300)
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
