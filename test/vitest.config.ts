import { defineConfig } from "vitest/config"

const fast = ["test/unit/**/*.test.ts", "test/http/**/*.test.ts", "test/architecture.test.ts"]

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Two cores: suites that start servers make each other starve when more run at once.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "fast", include: fast } },
      { extends: true, test: { name: "wire", include: ["test/{wire,edge,mta}/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/endpoints.test.ts"],
          globalSetup: "test/support/running-stack.ts",
        },
      },
    ],
  },
})
