import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { configFile, writeConfig } from "../../../src/client/cli/config.ts"
import { startStub } from "../../support/providers/stub-server.ts"
import { runCli } from "../../support/stack/run-cli.ts"

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
