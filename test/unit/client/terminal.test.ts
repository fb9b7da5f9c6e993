import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll, expect, test } from "vitest"
import { UsageError } from "../../../src/client/cli/config.ts"
import { explain } from "../../../src/client/cli/explain.ts"
import { progressBar, say, type Terminal } from "../../../src/client/cli/terminal.ts"
import { MailverdictError } from "../../../src/client/errors.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-terminal-"))
afterAll(() => rmSync(folder, { recursive: true }))

function terminal(isInteractive: boolean) {
  const stderr = new PassThrough()
  const rest = { stdin: new PassThrough(), stdout: new PassThrough(), hasColour: false, env: {} }
  const one: Terminal = { ...rest, stderr, isInteractive }
  return { one, said: () => String(stderr.read() ?? "") }
}

test("what is said after a bar begins a line, however far the bar came", () => {
  const { one, said } = terminal(true)
  const bar = progressBar(one, "verified")
  bar.show(1, 4)
  bar.show(2, 4)
  bar.end()
  say(one, "cancelled")
  expect(said().split("\n").slice(-2)).toEqual(["cancelled", ""])
})

test("a bar that was never shown leaves no line", () => {
  const { one, said } = terminal(true)
  progressBar(one, "verified").end()
  expect(said()).toBe("")
})

test("where nobody looks on, each tenth is a line", () => {
  const { one, said } = terminal(false)
  const bar = progressBar(one, "verified")
  for (const done of [0, 1, 10, 11, 100]) bar.show(done, 100)
  bar.end()
  expect(said()).toBe("verified 0/100\nverified 10/100\nverified 100/100\n")
})

test.each([
  [true, "\u001b[31mmailverdict: no\u001b[0m\n"],
  [false, "mailverdict: no\n"],
])("a problem is red where it is looked at (%j), and no riddle in a file", (isInteractive, text) => {
  const { one, said } = terminal(isInteractive)
  expect(explain({ ...one, hasColour: true }, new UsageError("no"))).toBe(2)
  expect(said()).toBe(text)
})

test("who shows no key is told that one is needed, not that it is revoked; an empty variable is none", () => {
  const file = join(folder, "key")
  writeFileSync(file, "mv_live_1\n", { mode: 0o600 })
  const refusal = new MailverdictError({ status: 401, detail: "revoked", requestId: null, retryAfterSeconds: null })
  const told = (env: Record<string, string>) => {
    const { one, said } = terminal(false)
    expect(explain({ ...one, env }, refusal)).toBe(2)
    return said()
  }
  expect(told({ MAILVERDICT_KEY_FILE: join(folder, "none") })).toMatch(/needs an API key.*MAILVERDICT_API_KEY/)
  expect(told({ MAILVERDICT_KEY_FILE: file, MAILVERDICT_API_KEY: "" })).toBe("mailverdict: revoked\n")
})
