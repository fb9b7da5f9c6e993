import { Readable } from "node:stream"
import { expect, test } from "vitest"
import { run } from "../../../src/client/cli/program.ts"
import { memoryTerminal } from "../../support/stack/run-cli.ts"

const MB = 1_000_000
const nowhere = { MAILVERDICT_URL: "http://127.0.0.1:1" }

test.each([
  ["a table", ["--column", "email"], "a@b.test\n", 20],
  ["lines", [], "a@b.test\n", 100],
  ["one line without an end", [], "x", 100],
])("endless standard input of %s is refused at the limit", async (_, options, text, limit) => {
  const piece = Buffer.alloc(MB, text)
  let read = 0
  const stdin = new Readable({
    read() {
      read += piece.length
      // The end is for a failing test: it must not read forever.
      this.push(read > 3 * limit * MB ? null : piece)
    },
  })
  const { terminal, stderr } = memoryTerminal({ env: nowhere })
  expect(await run({ ...terminal, stdin }, ["lists", "upload", "-", ...options])).toBe(2)
  expect(String(stderr.read())).toMatch(
    new RegExp(`^mailverdict: - is too large \\(at most ${limit} MB\\)\\. Split it`),
  )
  expect(read).toBeLessThanOrEqual((limit + 2) * MB)
})
