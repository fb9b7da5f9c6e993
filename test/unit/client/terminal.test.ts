import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll, expect, test } from "vitest"
import { UsageError } from "../../../src/client/cli/config.ts"
import { explain } from "../../../src/client/cli/explain.ts"
import { progressBar, report, type Terminal } from "../../../src/client/cli/terminal.ts"
import { MailverdictError } from "../../../src/client/errors.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-terminal-"))
afterAll(() => rmSync(folder, { recursive: true }))

function terminal(isInteractive: boolean) {
  const stderr = new PassThrough()
  const rest = { stdin: new PassThrough(), stdout: new PassThrough(), hasColor: false, env: {} }
  const fake: Terminal = { ...rest, stderr, isInteractive }
  return { fake, output: () => String(stderr.read() ?? "") }
}

test("a message after a progress bar starts a new line", () => {
  const { fake, output } = terminal(true)
  const bar = progressBar(fake, "verified")
  bar.show(1, 4)
  bar.show(2, 4)
  bar.end()
  report(fake, "cancelled")
  expect(output().split("\n").slice(-2)).toEqual(["cancelled", ""])
})

test("a bar that was never shown prints nothing", () => {
  const { fake, output } = terminal(true)
  progressBar(fake, "verified").end()
  expect(output()).toBe("")
})

test("without a terminal, each tenth of the work prints a line", () => {
  const { fake, output } = terminal(false)
  const bar = progressBar(fake, "verified")
  for (const done of [0, 1, 10, 11, 100]) bar.show(done, 100)
  bar.end()
  expect(output()).toBe("verified 0/100\nverified 10/100\nverified 100/100\n")
})

test.each([
  [true, "\u001b[31mmailverdict: no\u001b[0m\n"],
  [false, "mailverdict: no\n"],
])("an error is red only on a terminal (%j)", (isInteractive, text) => {
  const { fake, output } = terminal(isInteractive)
  expect(explain({ ...fake, hasColor: true }, new UsageError("no"))).toBe(2)
  expect(output()).toBe(text)
})

test("a 401 without a key asks for a key; an empty variable counts as none", () => {
  const file = join(folder, "key")
  writeFileSync(file, "mv_live_1\n", { mode: 0o600 })
  const refusal = new MailverdictError({ status: 401, detail: "revoked", requestId: null, retryAfterSeconds: null })
  const explained = (env: Record<string, string>) => {
    const { fake, output } = terminal(false)
    expect(explain({ ...fake, env }, refusal)).toBe(2)
    return output()
  }
  expect(explained({ MAILVERDICT_KEY_FILE: join(folder, "none") })).toMatch(/needs an API key.*MAILVERDICT_API_KEY/)
  expect(explained({ MAILVERDICT_KEY_FILE: file, MAILVERDICT_API_KEY: "" })).toBe("mailverdict: revoked\n")
})
