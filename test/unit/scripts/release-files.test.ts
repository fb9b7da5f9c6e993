import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { expectProductionOnly, ownFilesAt } from "../../../scripts/build/release.ts"

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

test("a release has the files of a folder that git has, and no settings or secrets beside them", () => {
  const project = mkdtempSync(join(tmpdir(), "mailverdict-release-files-"))
  onTestFinished(() => rmSync(project, { recursive: true }))
  const folder = join(project, "scripts/self-hosting")
  mkdirSync(join(folder, "more"), { recursive: true })
  const names = ["compose.yaml", "more/ä b.conf"]
  for (const name of names) writeFileSync(join(folder, name), "")
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project })
  git("init", "--quiet")
  git("add", ".")
  for (const name of [".env.production", "admin_secret", "compose.override.yaml"]) writeFileSync(join(folder, name), "")
  const expected = names.map((name) => `scripts/self-hosting/${name}`)
  expect(ownFilesAt(project, "scripts/self-hosting").toSorted()).toEqual(expected)
  rmSync(join(project, ".git"), { recursive: true })
  expect(ownFilesAt(project, "scripts/self-hosting")).toHaveLength(5)
})

test("every program of the service is a dependency, which the audit of SECURITY.md covers", () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    dependencies: Record<string, string>
  }
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(["workerd", "node", "libsql"]))
  expect(readFileSync(`${root}SECURITY.md`, "utf8")).toContain("npm audit --omit=dev")
})
