import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterEach, beforeEach, expect, test } from "vitest"
import { configFile, writeConfig } from "../../../src/client/cli/config.ts"
import { run } from "../../../src/client/cli/program.ts"
import { type Given, type StubServer, startStub } from "../../support/providers/stub-server.ts"
import { memoryTerminal, runCli } from "../../support/stack/run-cli.ts"

let folder: string
let service: StubServer
let answer: Given
let env: Record<string, string>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-failures-"))
  service = await startStub(() => answer)
  env = { XDG_CONFIG_HOME: folder, MAILVERDICT_URL: service.url, MAILVERDICT_API_KEY: "mv_live_1" }
})
afterEach(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

test("an error of the service that stays exits with 3", async () => {
  // The wait is too long for a retry.
  answer = { status: 503, json: { detail: "in maintenance" }, headers: { "retry-after": "3600" } }
  expect(await runCli(["usage"], { env })).toMatchObject({ code: 3, stdout: "" })
})

test.each([["usage"], ["whoami"], ["keys", "list"], ["lists", "report", "job_1"], ["verify", "a@b.test"]])(
  "an answer without fields gives one line, and its place for who asks: %s %s",
  async (...command) => {
    answer = { status: 200, json: {} }
    const shown = await runCli(command, { env, columns: 80 })
    // The command may print an empty value, but no stack.
    expect(shown.stderr.trim().split("\n")).toHaveLength(1)
    expect(shown.stderr).not.toContain("    at ")
  },
)

test("MAILVERDICT_DEBUG shows the place of an unexpected answer", async () => {
  answer = { status: 200, json: {} }
  const shown = await runCli(["verify", "a@b.test"], { env: { ...env, MAILVERDICT_DEBUG: "1" } })
  expect(shown).toMatchObject({ code: 3, stderr: expect.stringMatching(/TypeError.*can_send.*\n {4}at /) })
})

test("an operator's secret that cannot be sent is wrong usage", async () => {
  const refused = await runCli(["nodes", "list"], { env: { ...env, MAILVERDICT_ADMIN_SECRET: "geheim…" } })
  const stderr = "mailverdict: MAILVERDICT_ADMIN_SECRET: the secret contains invalid characters\n"
  expect(refused).toEqual({ code: 2, stdout: "", stderr })
})

test.each(['{"url":', "[]"])("login replaces a broken file: %s", async (content) => {
  writeConfig({ env }, {})
  writeFileSync(configFile({ env }), content)
  answer = { status: 200, json: { email: "a@b.test", tier: "free" } }
  expect((await runCli(["usage"], { env })).stderr).toContain("is broken. Run: mailverdict login")
  expect((await runCli(["login", "--key", "mv_live_2"], { env })).code).toBe(0)
  expect(JSON.parse(readFileSync(configFile({ env }), "utf8"))).toEqual({ url: service.url, api_key: "mv_live_2" })
})

test("login names the console below the path of the service's URL", async () => {
  answer = { status: 200, json: { message: "sent", email: "a@b.test" } }
  const { terminal, stdout, stderr } = memoryTerminal({ env: { ...env, MAILVERDICT_URL: `${service.url}/mail` } })
  stdout.resume()
  const stdin = new PassThrough()
  const ended = run({ ...terminal, stdin, hasKeyboard: true }, ["login", "--key"])
  await expect.poll(() => stderr.readableLength).toBeGreaterThan(0)
  stdin.write("mv_live_2\r")
  expect(await ended).toBe(0)
  expect(String(stderr.read())).toContain(`${service.url}/mail/console/#/keys,`)
})

test.each([["verfy"], ["verfy", "a@b.test"]])("a mistyped command is named: %s %s", async (...command) => {
  const stderr = "mailverdict: unknown command 'verfy'. All commands: mailverdict --help\n"
  expect(await runCli(command, { env })).toEqual({ code: 2, stdout: "", stderr })
})

test("help shows the help of a command", async () => {
  expect(await runCli(["help"], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining("verify") })
  const help = await runCli(["help", "verify"], { env })
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: mailverdict verify/), stderr: "" })
})
