import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { UsageError } from "../../../src/client/cli/config.ts"
import { explain } from "../../../src/client/cli/flags.ts"
import { progressBar, report, type Terminal } from "../../../src/client/cli/terminal.ts"
import { MailverdictError } from "../../../src/client/errors.ts"

const FAILURE = { command: undefined, hasKey: true }

function terminal(isInteractive: boolean) {
  const stderr = new PassThrough()
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const rest = {
    stdin,
    stdout,
    hasColor: false,
    hasKeyboard: false,
    columns: null,
    env: {},
    closed: new AbortController().signal,
  }
  const fake: Terminal = { ...rest, stderr, isInteractive }
  return { fake, output: () => String(stderr.read() ?? "") }
}

test("a message after a progress bar starts on a clean line", () => {
  const { fake, output } = terminal(true)
  const bar = progressBar(fake, "verified")
  bar.show(1, 4)
  bar.show(2, 4)
  bar.end()
  report(fake, "cancelled")
  expect(output()).toMatch(/\r\u001b\[Kcancelled\n$/)
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
  expect(explain({ ...fake, hasColor: true }, new UsageError("no"), FAILURE)).toBe(2)
  expect(output()).toBe(text)
})

test("a 401 names the way to a key, or to another one", () => {
  const refusal = new MailverdictError({
    status: 401,
    detail: "revoked",
    code: null,
    requestId: null,
    retryAfterSeconds: null,
  })
  const explained = (hasKey: boolean) => {
    const { fake, output } = terminal(false)
    expect(explain(fake, refusal, { command: undefined, hasKey })).toBe(2)
    return output()
  }
  expect(explained(false)).toMatch(/needs an API key\. Run: mailverdict login, or set MAILVERDICT_API_KEY/)
  expect(explained(true)).toBe("mailverdict: revoked. To sign in again: mailverdict login\n")
})
