import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { UsageError } from "../../../src/client/cli/config.ts"
import { explain } from "../../../src/client/cli/explain.ts"
import { progressBar, say, type Terminal } from "../../../src/client/cli/terminal.ts"

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
