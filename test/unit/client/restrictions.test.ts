import { expect, test } from "vitest"
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
