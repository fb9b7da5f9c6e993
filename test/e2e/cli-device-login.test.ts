import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, inject, test } from "vitest"
import { run } from "../../src/client/cli/program.ts"
import { call, postJson } from "../support/stack/api.ts"
import { jsonLines, memoryTerminal, runCli } from "../support/stack/run-cli.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-device-"))
  env = { XDG_CONFIG_HOME: folder }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const file = () => join(folder, "mailverdict/config.json")
const stored = () => JSON.parse(readFileSync(file(), "utf8")) as Record<string, string | boolean>
const url = () => inject("stackUrl")
const bearer = (session: string) => ({ authorization: `Bearer ${session}` })

interface ListedKey {
  readonly key_id: string
  readonly name: string
  readonly is_active: number
  readonly scopes: string[]
  readonly expires_at: string
}

const keysOf = async (session: string) =>
  (await call<{ keys: ListedKey[] }>("GET", "/keys", { headers: bearer(session) })).body.keys

const decide = (session: string, user_code: string, approve: boolean) => {
  const init = postJson({ user_code, approve })
  return call("POST", "/oauth/device", { ...init, headers: { ...init.headers, ...bearer(session) } })
}

/** Runs the sign-in until it shows its code. */
async function startLogin(args: readonly string[] = []) {
  const { terminal, stdout, stderr } = memoryTerminal({ env })
  const ended = run(terminal, ["login", "--device", "--json", "--url", url(), ...args])
  await expect.poll(() => stdout.readableLength).toBeGreaterThan(0)
  const [shown] = jsonLines(String(stdout.read())) as Record<string, string>[]
  return { ended, stdout, stderr, code: shown!.user_code!, shown }
}

test("login shows a code, its approval stores a restricted key, and logout revokes it", async () => {
  const session = await sessionOf("device-login@inbox.test")
  const { ended, stdout, stderr, code, shown } = await startLogin([
    "--name",
    "build-server",
    "--scopes",
    "verify,lists",
  ])
  expect(code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
  expect(shown).toMatchObject({
    verification_uri: `${url()}/console/#/device`,
    verification_uri_complete: `${url()}/console/#/device?code=${code}`,
    expires_in: 900,
  })
  expect(JSON.stringify(shown)).not.toContain("device_code")
  expect(String(stderr.read())).toContain("Waiting for your approval, at most 15 minutes")
  const at = `/oauth/device?user_code=${code.toLowerCase().replace("-", "%20")}`
  expect((await call("GET", "/oauth/device", { at, headers: bearer(session) })).body).toMatchObject({
    name: "build-server",
    scopes: ["verify", "lists"],
    lifetime_days: 90,
  })
  expect((await decide(session, code, true)).body).toEqual({ state: "approved" })
  expect(await ended).toBe(0)
  expect(jsonLines(String(stdout.read()))).toMatchObject([{ email: "device-login@inbox.test", url: url() }])
  const [key, ...others] = await keysOf(session)
  expect(others).toEqual([])
  expect(key).toMatchObject({ name: "build-server", is_active: 1, scopes: ["verify", "lists"] })
  const daysLeft = (Date.parse(key!.expires_at) - Date.now()) / 86_400_000
  expect(Math.round(daysLeft)).toBe(90)
  expect(stored()).toEqual({ url: url(), api_key: expect.stringMatching(/^mv_live_/), revoke_on_logout: true })
  expect((await runCli(["verify", "alice@mailbox.test"], { env })).code).toBe(0)
  const outside = await runCli(["find", "Ada", "Lovelace", "mailbox.test"], { env })
  expect(outside).toMatchObject({ code: 2, stderr: expect.stringContaining("its scope find") })

  const trail = await call<{ entries: { action: string; subject: string }[] }>("GET", "/me/audit-trail", {
    headers: bearer(session),
  })
  expect(JSON.stringify(trail.body)).toContain(key!.key_id)

  expect(await runCli(["logout"], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"revoked":true'),
  })
  expect(() => stored()).toThrow("ENOENT")
  expect(await keysOf(session)).toMatchObject([{ is_active: 0 }])
})

test("a refusal in the console ends login with exit code 2, and stores nothing", async () => {
  const session = await sessionOf("device-refused@inbox.test")
  const { ended, stderr, code } = await startLogin()
  expect((await decide(session, code, false)).body).toEqual({ state: "denied" })
  expect(await ended).toBe(2)
  expect(String(stderr.read())).toContain("mailverdict: the sign-in was refused in the console\n")
  expect(() => stored()).toThrow("ENOENT")
  expect(await keysOf(session)).toEqual([])
})

test.each([
  [
    ["--scopes", "verify,everything"],
    /option '--scopes <scopes>' argument .* is invalid\. "everything" is not allowed/,
  ],
  [["--name"], /option '--name <name>' argument missing/],
])("login %j names the flag that is wrong", async (args, message) => {
  const refused = await runCli(["login", "--device", "--url", url(), ...args], { env })
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(message) })
})

test("logout without the service says how to delete only the file", async () => {
  mkdirSync(join(folder, "mailverdict"))
  const login = { url: "http://127.0.0.1:9", api_key: "mv_live_1", revoke_on_logout: true }
  writeFileSync(file(), JSON.stringify(login), { mode: 0o600 })
  const offline = await runCli(["logout"], { env })
  expect(offline).toMatchObject({ code: 3, stderr: expect.stringContaining("mailverdict logout --keep-key") })
  expect(stored()).toEqual(login)
  const kept = await runCli(["logout", "--keep-key"], { env })
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('"revoked":false') })
  expect(() => stored()).toThrow("ENOENT")
})
