import { defineConfig } from "vitest/config"
import { RunReport } from "./support/report/run-report.ts"
import { CHROMIUM } from "./support/stack/chromium.ts"

const GENERATED = "test/support/stack/generated-once.ts"
const BUILT = "test/support/stack/built-once.ts"
const REFERENCE_DATA = "test/support/inputs/reference-data.ts"
const STACK = "test/support/stack/running-stack.ts"
const RELEASE = "test/support/container/release-once.ts"
const root = new URL("..", import.meta.url).pathname
const project = (name: string, include: string[], setup: string[] = [], groupOrder = 0) => ({
  extends: true as const,
  root,
  test: {
    name,
    include,
    globalSetup: [GENERATED, ...setup],
    setupFiles: [REFERENCE_DATA],
    isolate: false,
    sequence: { groupOrder },
  },
})

/** What `npm test` runs. CONTRIBUTING.md says what each tier means. */
export const EVERYDAY = [
  project("fast", ["test/unit/**/*.test.ts", "test/architecture.test.ts"]),
  project("wire", ["test/{wire,edge}/**/*.test.ts"], [BUILT]),
  project("e2e", ["test/e2e/**/*.test.ts", "test/browser/*.test.ts", "test/endpoints.test.ts"], [BUILT, STACK]),
]
/**
 * What `npm run test:all` adds, one project after the other: a stack with faults, clean roots and browsers at once starve
 * each other. Without a browser the details have no tests, and vitest refuses files without one.
 */
const THOROUGH = [
  ...(CHROMIUM ? [project("details", ["test/browser/details/**/*.test.ts"], [BUILT, STACK], 1)] : []),
  project("chaos", ["test/chaos/**/*.test.ts"], [BUILT], 2),
  project("mta", ["test/mta/**/*.test.ts"], [BUILT], 3),
]
/** Each needs its own preparation, by a script of its name. */
const PREPARED = [
  ...(process.env.DATABASE === "sqld" ? [project("sqld", ["test/sqld/**/*.test.ts"], [BUILT])] : []),
  ...(process.env.CONTAINER === "1" ? [project("container", ["test/container/**/*.test.ts"], [RELEASE])] : []),
  // Alone on the machine: it measures what another account notices.
  ...(process.env.ATTACK === "1" ? [project("attack", ["test/attack/**/*.test.ts"], [BUILT])] : []),
]

export default defineConfig({
  root,
  test: {
    // Guards against a hang, and no judges: a machine with other work takes ten times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // Measured on two cores: suites wait for servers half of the time, and with more workers the servers starve.
    maxWorkers: 3,
    reporters: ["default", new RunReport()],
    projects: [...EVERYDAY, ...THOROUGH, ...PREPARED],
  },
})
