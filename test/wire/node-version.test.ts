import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { buildNode } from "../../scripts/build/build-node.ts"
import { releaseManifest } from "../../scripts/build/release.ts"

const PROJECT = fileURLToPath(new URL("../..", import.meta.url))
const CHECK = "scripts/self-hosting/node-version.cjs"
const folder = mkdtempSync(join(tmpdir(), "mailverdict-node-version-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs this Node under the version of another one. */
function run(version: string, ...args: string[]) {
  const fake = join(folder, `${version}.cjs`)
  const preload = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`
  writeFileSync(fake, preload)
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-r", fake, ...args], {
    encoding: "utf8",
    cwd: folder,
  })
  return { status, out: stdout, err: stderr }
}

describe("a release", () => {
  mkdirSync(join(folder, "scripts/self-hosting"), { recursive: true })
  cpSync(join(PROJECT, CHECK), join(folder, CHECK))
  writeFileSync(join(folder, "package.json"), JSON.stringify(releaseManifest(PROJECT)))
  writeFileSync(join(folder, "program.cjs"), "console.log('started')")

  test.each(["24.3.0", "24.21.0", "26.0.0"])("runs on Node %s", (version) => {
    expect(run(version, "-r", `./${CHECK}`, "./program.cjs")).toEqual({ status: 0, out: "started\n", err: "" })
  })

  test.each(["12.22.9", "18.20.8", "22.21.0", "24.2.9"])("says that Node %s is too old", (version) => {
    const { status, out, err } = run(version, "-r", `./${CHECK}`, "./program.cjs")
    expect({ status, out }).toEqual({ status: 78, out: "" })
    expect(err).toMatch(new RegExp(`^Mailverdict needs Node 24\\.3 or later\\. This is Node ${version} `))
  })

  test("has the check before each of its scripts", () => {
    const { scripts } = releaseManifest(PROJECT) as { scripts: Record<string, string> }
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "backup", "restore", "migrate"]))
    for (const line of Object.values(scripts)) expect(line).toMatch(/^(exec )?node -r \.\/scripts\/\S+\.cjs /)
  })

  test("has a check that every Node can read", () => {
    expect(readFileSync(join(PROJECT, CHECK), "utf8")).not.toMatch(/\b(const|let|import|class)\b|=>|`|\?\.|\?\?/)
  })
})

describe("the node's bundle", () => {
  test("says that an older Node is too old, and runs on a newer one", async () => {
    const bundle = await buildNode(join(folder, "probe-node.mjs"))
    const { status, out, err } = run("18.20.8", bundle, "--help")
    expect({ status, out }).toEqual({ status: 78, out: "" })
    expect(err).toMatch(/^Mailverdict needs Node 22 or later\. This is Node 18\.20\.8 /)
    expect(run("22.0.0", bundle, "--help")).toMatchObject({ status: 0, err: "" })
    // Another static import could fail before the check runs.
    expect(readFileSync(bundle, "utf8").match(/^import\b.*/gm)).toEqual([
      expect.stringMatching(/^import \{ createRequire \} from "module";/),
    ])
  })
})
