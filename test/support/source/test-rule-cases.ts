import type { Rule } from "./layer-rules.ts"
import * as tests from "./test-rules.ts"

type Texts = Readonly<Record<string, string>>

export interface Case {
  readonly rule: Rule
  /** Small trees that violate the rule, and a tree that follows it. */
  readonly bad: readonly Texts[]
  readonly good: Texts
}

const CONFIG = "test/vitest.config.ts"
const testsOf = (texts: readonly string[]) => texts.map((text) => ({ "test/x.test.ts": text }))
const polls = (timeout: number) => `export default { test: { expect: { poll: { timeout: ${timeout} } } } }`

/** The rules about tests, each with trees that show what it detects. */
export const TEST_CASES: Readonly<Record<string, Case>> = {
  "no test is skipped": {
    rule: tests.noSkippedTests,
    bad: testsOf([
      "test.skip('x', f)",
      "describe.only('x', f)",
      "test.skip.each([])('x', f)",
      "it.todo('x')",
      "test.concurrent.skipIf(true)('x', f)",
      "xit('x', f)",
      "test('x', { skip: true }, f)",
    ]),
    good: { "test/x.test.ts": "test.each([1])('%d', f)\nstream.skip(1)\ntest('x', { timeout: 1 }, f)" },
  },
  "tests judge nothing by time": {
    rule: tests.testsJudgeNothingByTime,
    bad: testsOf([
      "const startedAt = performance.now()",
      "const { user } = process.cpuUsage()",
      "const { user } = process.threadCpuUsage(before)",
      "const startedAt = process.hrtime.bigint()",
      "expect(Date.now() - startedAt).toBeLessThan(250)",
      "expect((Date.now() - at) / 3).toBeGreaterThanOrEqual(9)",
      "expect(Math.abs(Date.now() + 60 * seconds - Date.parse(day))).toBeLessThan(9)",
      "expect(Date.parse(end) - Date.parse(start)).not.toBeLessThanOrEqual(9)",
      "expect(seen).toBeGreaterThan(Date.now() - 1_000)",
    ]),
    good: {
      "test/x.test.ts":
        "while (Date.now() < until) await f()\nexpect(Date.parse(to) - Date.parse(from)).toBe(DAY)\nexpect(Date.parse(at)).toBeGreaterThan(before)\nvi.spyOn(performance, 'now')",
      "scripts/bench/x.ts": "const startedAt = performance.now()",
    },
  },
  "tests wait for events, not for time": {
    rule: tests.testsWaitForEvents,
    bad: testsOf([
      "await new Promise((resolve) => setTimeout(resolve, 100))",
      "import { setTimeout as sleep } from 'node:timers/promises'",
      "import { setTimeout } from 'node:timers'",
      "const { setTimeout: sleep } = await import('node:timers/promises')",
    ]),
    good: {
      "test/x.test.ts": "vi.spyOn(globalThis, 'setTimeout')\nawait letTimePass(1_000, 'the session expires')",
      "test/support/time/waiting.ts": "import { setTimeout as sleep } from 'node:timers/promises'",
      "test/support/mail/slow-server.ts": "setTimeout(f, 100)",
    },
  },
  "polls are patient": {
    rule: tests.pollsArePatient,
    bad: [
      { [CONFIG]: polls(1_000) },
      { [CONFIG]: "export default {}" },
      { [CONFIG]: polls(15_000), "test/x.test.ts": "await expect.poll(f, { timeout: 10_000 }).toBe(1)" },
    ],
    good: {
      [CONFIG]: polls(15_000),
      "test/x.test.ts":
        "await expect.poll(f, { timeout: 15_000 }).toBe(1)\nawait expect.poll(f, { interval: 5 }).toBe(1)",
    },
  },
  "no test is retried": {
    rule: tests.noTestIsRetried,
    bad: [
      { "test/x.test.ts": "test('x', { retry: 1 }, f)" },
      { "test/x.test.ts": "describe('x', { retry: 1 }, f)" },
      { [CONFIG]: "export default { test: { retry: 1 } }" },
      { "scripts/dev/x.ts": "spawn('npx', ['vitest', 'run', '--retry=1'])" },
      { "package.json": '{ "scripts": { "test": "vitest run --retry 1" } }' },
      { ".ci/run": "npm test -- --retry=1" },
      { "scripts/ci-x.sh": "npx vitest run --retry=1" },
    ],
    good: { "test/x.test.ts": "f({ retry: 1 })", "package.json": '{ "scripts": { "test": "vitest run" } }' },
  },
  "suites that share a stack have numbered domains of their own": {
    rule: tests.suitesHaveTheirOwnDomains,
    bad: [{ "test/e2e/a.test.ts": "'user1@d0001.test'", "test/browser/b.test.ts": "'@D0001.test'" }],
    good: { "test/e2e/a.test.ts": "'a@d0001.test', 'b@d0001.test'", "test/wire/b.test.ts": "'a@d0001.test'" },
  },
}
