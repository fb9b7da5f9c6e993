import { defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Two cores: end-to-end suites start whole stacks, more workers only make them starve each other.
    maxWorkers: 2,
  },
})
