import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { configFile, writeConfig } from "../../../src/client/cli/config.ts"
import { startStub } from "../../support/providers/stub-server.ts"
import { runCli } from "../../support/stack/run-cli.ts"

test.each([
  ["--scopes", "verify,none"],
  ["--networks", "none,192.0.2.0/24"],
  ["--origins", "https://a.test,none"],
])("%s %s makes no unrestricted key", async (flag, words) => {
  const service = await startStub(() => ({ status: 200, json: {} }))
  const env = { MAILVERDICT_URL: service.url, MAILVERDICT_API_KEY: "mv_live_1" }
  const stderr = `mailverdict: ${flag}: "none" must be the only word\n`
  for (const command of [
    ["create", "form", "a@b.test"],
    ["restrict", "key_1"],
  ])
    expect(await runCli(["keys", ...command, flag, words], { env })).toEqual({ code: 2, stdout: "", stderr })
  expect(service.calls).toEqual([])
  await service.stop()
})

test("a rotated key that cannot be stored is still printed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-rotate-"))
  const env = { XDG_CONFIG_HOME: folder }
  const service = await startStub(({ path }) => {
    const isRotation = path === "/keys/key_1/rotate"
    // A folder in the way of the draft: the file was writable at the start, as before a disk is full.
    if (isRotation) mkdirSync(`${configFile({ env })}.${process.pid}`)
    return { status: 200, json: isRotation ? { key_id: "key_2", api_key: "mv_new" } : { key_id: "key_1" } }
  })
  writeConfig({ env }, { url: service.url, api_key: "mv_old" })
  const rotated = await runCli(["keys", "rotate", "key_1"], { env })
  expect(rotated).toMatchObject({ code: 2, stdout: "mv_new\n" })
  expect(rotated.stderr).toContain(`mailverdict: the new key is not stored in ${configFile({ env })}: EISDIR`)
  await service.stop()
  rmSync(folder, { recursive: true })
})
