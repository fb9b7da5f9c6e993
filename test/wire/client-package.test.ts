import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildClient } from "../../scripts/build/build-client.ts"

const project = mkdtempSync(join(tmpdir(), "mailverdict-consumer-"))
const installed = join(project, "node_modules/@mailverdict/client")
const ours = fileURLToPath(new URL("../../node_modules", import.meta.url))
const tsc = join(ours, "typescript/bin/tsc")

/** A foreign project that has installed the package, and only the dependencies that the package declares. */
beforeAll(async () => {
  await buildClient(join(project, "built"))
  mkdirSync(join(installed, ".."), { recursive: true })
  cpSync(join(project, "built"), installed, { recursive: true })
  for (const name of ["standardwebhooks", "@types", "undici-types"])
    symlinkSync(join(ours, name), join(project, "node_modules", name))
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const node = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: project }).catch((failed: { stdout: string }) => failed)

const PROGRAM = `
import { createClient } from "@mailverdict/client"
import { MailverdictError } from "@mailverdict/client/errors"
import { waitForJob } from "@mailverdict/client/jobs"
import { verifyWebhook } from "@mailverdict/client/webhooks"
console.log(typeof createClient, typeof MailverdictError, typeof waitForJob, typeof verifyWebhook)
`

test("the installed package runs, with its command line", async () => {
  writeFileSync(join(project, "program.js"), PROGRAM)
  expect((await node("program.js")).stdout).toBe("function function function function\n")
  expect((await node(join(installed, "cli.js"), "--help")).stdout).toContain("Usage: mailverdict")
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string }
  expect((await node(join(installed, "cli.js"), "--version")).stdout).toBe(`${version}\n`)
})

test("its dependencies require no newer Node than the package declares", () => {
  const manifestOf = (folder: string) =>
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      engines?: { node: string }
      dependencies: Record<string, string>
    }
  const oldest = (folder: string) => Number(/\d+/.exec(manifestOf(folder).engines?.node ?? "0")![0])
  const newer = Object.keys(manifestOf(installed).dependencies).filter(
    (name) => oldest(join(ours, name)) > oldest(installed),
  )
  expect(newer).toEqual([])
})

test.each([
  ["--module", "nodenext", "--types", "node", "--exactOptionalPropertyTypes"],
  ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom", "--types", "node"],
])("its types compile in TypeScript projects with other settings: %s %s", async (...settings) => {
  // Typical uses: a list of any length, and the headers of Node's requests.
  const use = `
    declare const [emails, headers]: [string[], import("node:http").IncomingHttpHeaders]
    const client = createClient({ apiKey: process.env.KEY })
    await client.call("validateTurbo", { emails })
    verifyWebhook("", headers, "")
    const { status } = await client.call("validate", { email: "a@b.test" })`
  writeFileSync(join(project, "right.ts"), `${PROGRAM}${use}\nexport const word: string = status\n`)
  writeFileSync(join(project, "wrong.ts"), `${PROGRAM}${use}\nexport const word: number = status\n`)
  const compile = (file: string) => node(tsc, "--strict", "--noEmit", "--target", "es2023", ...settings, file)
  expect((await compile("right.ts")).stdout).toBe("")
  expect((await compile("wrong.ts")).stdout).toMatch(/^wrong\.ts\(\d+,\d+\): error TS2322/)
})
