import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { expectProductionOnly } from "../../../scripts/build/release-files.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

describe("an import of a package that only builds or tests", () => {
  const inputs = (kind: "import-statement" | "dynamic-import") => ({
    "scripts/data/x.ts": { bytes: 1, imports: [{ path: "wrangler", kind, external: true }] },
  })

  test("is an error with the file and the package", () => {
    expect(() => expectProductionOnly(inputs("import-statement"))).toThrow(/^scripts\/data\/x\.ts imports wrangler, /)
  })

  test("is allowed where the program can do without it", () => {
    expect(() => expectProductionOnly(inputs("dynamic-import"))).not.toThrow()
  })
})

test("every program of the service is a dependency, which the audit of SECURITY.md covers", () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    dependencies: Record<string, string>
  }
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(["workerd", "node", "libsql"]))
  expect(readFileSync(`${root}SECURITY.md`, "utf8")).toContain("npm audit --omit=dev")
})
