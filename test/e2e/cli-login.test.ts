import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterEach, beforeEach, expect, inject, test } from "vitest"
import { run } from "../../src/client/cli/program.ts"
import { newKey } from "../support/stack/account.ts"
import { memoryTerminal, runCli } from "../support/stack/run-cli.ts"

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-login-"))
  env = { XDG_CONFIG_HOME: folder }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const stored = () => JSON.parse(readFileSync(join(folder, "mailverdict/config.json"), "utf8")) as Record<string, string>
const url = () => inject("stackUrl")

test("login stores a key of standard input, later commands use it, and logout deletes it", async () => {
  const { secret } = await newKey()
  const done = await runCli(["login", "--url", url()], { env, input: `${secret}\n` })
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('"email":"owner@mailbox.test"') })
  expect(stored()).toEqual({ url: url(), api_key: secret })
  expect(statSync(join(folder, "mailverdict/config.json")).mode & 0o777).toBe(0o600)
  expect(await runCli(["whoami"], { env, columns: 90 })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/key from +\S+config\.json\n$/),
  })
  expect((await runCli(["logout"], { env, columns: 90 })).stdout).toMatch(
    /^signed out +deleted .*\n +The key stays valid/,
  )
  expect(await runCli(["whoami", "--url", url()], { env })).toMatchObject({
    code: 2,
    stderr: "mailverdict: this command needs an API key. Run: mailverdict login, or set MAILVERDICT_API_KEY\n",
  })
  expect((await runCli(["logout"], { env, columns: 90 })).stdout).toBe("signed out  no key was stored\n")
})

test("login asks for the key at a prompt that does not show it", async () => {
  const { secret } = await newKey()
  const { terminal, stdout, stderr } = memoryTerminal({ env, columns: 90 })
  const stdin = new PassThrough()
  const ended = run({ ...terminal, stdin, hasKeyboard: true }, ["login", "--key", "--url", url()])
  await expect.poll(() => stderr.readableLength).toBeGreaterThan(0)
  stdin.write(`${secret}\r`)
  expect(await ended).toBe(0)
  const messages = String(stderr.read())
  expect(messages).toBe(`Create a key at ${url()}/console/#/keys, and paste it here.\nAPI key: \n`)
  expect(String(stdout.read())).not.toContain(secret)
  expect(stored()).toMatchObject({ api_key: secret })
})

test.each([
  ["an unknown key", "mv_live_1", /^mailverdict: .*invalid or revoked/],
  ["nothing", "", /^mailverdict: the API key is empty/],
])("login stores no key when it gets %s", async (_, input, stderr) => {
  const refused = await runCli(["login", "--url", url()], { env, input })
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(stderr) })
  expect(() => stored()).toThrow("ENOENT")
})

test("login says that a variable has precedence", async () => {
  const { secret } = await newKey()
  const done = await runCli(["login", "--url", url(), "--key", secret], {
    env: { ...env, MAILVERDICT_API_KEY: "mv_x" },
  })
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("MAILVERDICT_API_KEY is set") })
})

test("a rotation of the stored key stores the new one", async () => {
  const { secret, keyId } = await newKey()
  await runCli(["login", "--url", url(), "--key", secret], { env })
  const rotated = await runCli(["keys", "rotate", keyId], { env })
  expect(rotated.stderr).toContain("It is stored for this command line.")
  expect(stored()).toEqual({ url: url(), api_key: rotated.stdout.trim() })
  expect((await runCli(["whoami"], { env })).code).toBe(0)
})

test("without a key, mailverdict alone says how to sign in", async () => {
  const start = await runCli(["--url", url()], { env, columns: 90 })
  expect(start).toMatchObject({ code: 0, stdout: expect.stringMatching(/^service .*\nsign in +mailverdict login\n/) })
})
