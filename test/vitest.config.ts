import { defineConfig } from "vitest/config"
import { CHROMIUM } from "./support/stack/chromium.ts"

const GENERATED = "test/support/stack/generated-once.ts"
const BUILT = "test/support/stack/built-once.ts"
const REFERENCE_DATA = "test/support/inputs/reference-data.ts"
const STACK = "test/support/stack/running-stack.ts"
/** Without a browser only the file that says so: vitest refuses files without a test. */
const BROWSER = CHROMIUM ? "test/browser/**/*.test.ts" : "test/browser/console.test.ts"
const root = new URL("..", import.meta.url).pathname
const project = (name: string, include: string[], globalSetup: string[] = []) => ({
  extends: true as const,
  root,
  test: { name, include, globalSetup: [GENERATED, ...globalSetup], setupFiles: [REFERENCE_DATA], isolate: false },
})

export default defineConfig({
  root,
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // The default of one second is too short for a machine with other work.
    expect: { poll: { timeout: 15_000, interval: 50 } },
    // Measured on two cores: suites wait for servers half of the time, and with more workers the servers starve.
    maxWorkers: 3,
    projects: [
      project("fast", ["test/unit/**/*.test.ts", "test/architecture.test.ts"]),
      project("wire", ["test/{wire,edge,mta}/**/*.test.ts"], [BUILT]),
      project("chaos", ["test/chaos/**/*.test.ts"], [BUILT]),
      ...(process.env.DATABASE === "sqld" ? [project("sqld", ["test/sqld/**/*.test.ts"], [BUILT])] : []),
      ...(process.env.CONTAINER === "1" ? [project("container", ["test/container/**/*.test.ts"])] : []),
      project("e2e", ["test/e2e/**/*.test.ts", BROWSER, "test/endpoints.test.ts"], [BUILT, STACK]),
    ],
  },
})
