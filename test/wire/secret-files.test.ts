import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-secret-files-"))
afterAll(() => rmSync(folder, { recursive: true }))
const stored = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const project = fileURLToPath(new URL("../..", import.meta.url))

const GONE = join(folder, "gone")
const run = (script: string, env: Record<string, string>, args: string[] = []) =>
  spawnSync(process.execPath, [`${project}${script}`, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
    timeout: 20_000,
  })

describe("a command ends with the setting and the file", () => {
  test.each([
    ["scripts/dev/start.ts"],
    ["scripts/data/migrate.ts"],
    ["scripts/data/backup.ts"],
    ["scripts/data/restore.ts", ["a-backup"]],
    ["scripts/operator/keys.ts", ["list"]],
    ["scripts/operator/sign-in.ts"],
  ])("%s", (script, args: string[] = []) => {
    const { status, stderr } = run(script, { LIBSQL_AUTH_TOKEN_FILE: GONE }, args)
    // The unit stays stopped after this exit code.
    expect(status).toBe(78)
    expect(stderr).toBe(
      `Cannot start. Fix these settings:\n  LIBSQL_AUTH_TOKEN_FILE: cannot read ${GONE}: no such file or directory\n`,
    )
  })

  test("the doctor of the settings", () => {
    const { status, stdout } = run("scripts/doctor/main.ts", { KEY_PEPPER_FILE: GONE }, ["--offline"])
    expect(status).toBe(1)
    expect(stdout).toMatch(`KEY_PEPPER_FILE`)
    expect(stdout).toMatch(`cannot read ${GONE}: no such file or directory`)
  })

  test("a probe node", async () => {
    const { signingKey } = await generateKeyPair("node-1")
    const both = { PROBE_SIGNING_KEY: signingKey, PROBE_SIGNING_KEY_FILE: stored("node-key", signingKey) }
    const { status, stderr } = run("probe-node/main.ts", both)
    expect(status).toBe(1)
    expect(stderr).toBe("probe node: PROBE_SIGNING_KEY and PROBE_SIGNING_KEY_FILE are both set: remove one of them\n")
    const fromFile = run("probe-node/main.ts", { PROBE_SIGNING_KEY_FILE: both.PROBE_SIGNING_KEY_FILE })
    expect(fromFile.stderr).toContain("PROBE_HELO is missing")
    expect(fromFile.stderr).not.toContain("PROBE_SIGNING_KEY")
  })
})

test("a node enrolls with the key of its file, which stays out of its settings", async () => {
  const { signingKey, publicKey } = await generateKeyPair("node-2")
  const file = stored("node-2", `${signingKey}\n`)
  const settings = { PROBE_SIGNING_KEY_FILE: file, PROBE_HELO: "probe1.example.com", PROBE_MAIL_FROM: "p@example.com" }
  const about = ["--id", "fra-1", "--region", "eu", "--url", "https://probe1.example.com"]
  const printed = run("probe-node/main.ts", settings, ["enrol", "--print", ...about])
  expect(printed.stdout).toContain(`PROBE_SIGNING_KEY_FILE=${file}\n`)
  expect(printed.stdout).not.toContain("PROBE_SIGNING_KEY=")
  expect(printed.stderr).toContain(publicKey)
  run("probe-node/main.ts", settings, ["enrol", ...about])
  const written = readFileSync(join(folder, "probe.env"), "utf8")
  expect(written).toContain(`PROBE_NODE_ID=fra-1\n`)
  expect(written).toContain(`PROBE_SIGNING_KEY_FILE=${file}\n`)
  expect(written).not.toContain(signingKey)
})
