import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { configFile, readConfig, readSettings, removeConfig, writeConfig } from "../../../src/client/cli/config.ts"

const SERVICE = "https://api.example.com"
let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-config-"))
  env = { XDG_CONFIG_HOME: folder }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("the file", () => {
  test("is in XDG_CONFIG_HOME, or in ~/.config when that is not an absolute path", () => {
    expect(configFile({ env })).toBe(join(folder, "mailverdict/config.json"))
    for (const XDG_CONFIG_HOME of ["", "relative"])
      expect(configFile({ env: { XDG_CONFIG_HOME, HOME: "/home/ada" } })).toBe(
        "/home/ada/.config/mailverdict/config.json",
      )
  })

  test("is readable by its owner only, also when it replaces an open one", () => {
    writeConfig({ env }, { url: SERVICE, api_key: "mv_live_1" })
    const file = configFile({ env })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    chmodSync(file, 0o644)
    writeConfig({ env }, { url: SERVICE, api_key: "mv_live_2" })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ url: SERVICE, api_key: "mv_live_2" })
    expect([removeConfig({ env }), removeConfig({ env }), readConfig({ env })]).toEqual([true, false, {}])
  })

  test("that other users can read is refused, except on Windows, where every file looks so", () => {
    writeConfig({ env }, { url: SERVICE })
    const file = configFile({ env })
    chmodSync(file, 0o640)
    expect(() => readConfig({ env })).toThrow(`other users can read ${file}. Run: chmod 600 ${file}`)
    vi.spyOn(process, "platform", "get").mockReturnValue("win32")
    expect(readConfig({ env })).toEqual({ url: SERVICE })
    vi.restoreAllMocks()
  })

  test.each(["mv_live_1", "", '{"url":', "null", "[]", '{"url":8787}', '{"api_key":{}}'])(
    "with the content %j is refused with its path",
    (content) => {
      writeConfig({ env }, {})
      writeFileSync(configFile({ env }), content)
      expect(() => readConfig({ env })).toThrow(`${configFile({ env })} is broken. Run: mailverdict login`)
    },
  )
})

describe("the service and the key", () => {
  const other = "https://b.test"
  test.each([
    ["the file", {}, {}, SERVICE, "mv_stored"],
    ["a variable before the file", {}, { MAILVERDICT_API_KEY: "mv_variable\n" }, SERVICE, "mv_variable"],
    ["a flag before a variable", { apiKey: "mv_flag" }, { MAILVERDICT_API_KEY: "mv_variable" }, SERVICE, "mv_flag"],
    ["an empty variable counts as none", {}, { MAILVERDICT_API_KEY: "", MAILVERDICT_URL: "" }, SERVICE, "mv_stored"],
    ["the stored key goes to no other service", { url: other }, {}, other, undefined],
    ["nor by a variable", {}, { MAILVERDICT_URL: other }, other, undefined],
    ["the same URL in another form", { url: "https://API.example.com/" }, {}, "https://API.example.com/", "mv_stored"],
  ])("%s", (_, flags, variables, url, apiKey) => {
    writeConfig({ env }, { url: SERVICE, api_key: "mv_stored" })
    expect(readSettings({ env: { ...env, ...variables } }, flags)).toMatchObject({ url, apiKey })
  })

  test("without anything it is the local service, without a key", () => {
    const local = { url: "http://127.0.0.1:8787", apiKey: undefined, keyFrom: null }
    expect(readSettings({ env }, {})).toMatchObject(local)
  })

  test.each([
    [{ url: "localhost:8787" }, {}, '--url: "localhost:8787" is not an http or https URL'],
    [{}, { MAILVERDICT_URL: "ftp://a.test" }, 'MAILVERDICT_URL: "ftp://a.test" is not an http or https URL'],
    [{}, { MAILVERDICT_API_KEY: "mv_live_…" }, "MAILVERDICT_API_KEY: the API key contains invalid characters"],
  ])("invalid: %j %j", (flags, variables, message) => {
    expect(() => readSettings({ env: { ...env, ...variables } }, flags)).toThrow(message)
  })
})
