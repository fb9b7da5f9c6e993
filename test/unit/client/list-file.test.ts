import { Readable } from "node:stream"
import { expect, test } from "vitest"
import { listBody } from "../../../src/client/cli/list-file.ts"
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

const LIST = { file: "list.txt", maxBytes: 100_000_000 }

/** Yields a text in pieces of `size` bytes, as a pipe does. */
async function* pieces(text: string | Buffer, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test.each([1, 2, 3, 5, 1_000])("pieces of %i bytes give the same lines as the whole text", async (size) => {
  const text = '\ufeffa@b.test\r\n\r\n  jörg@c.test \n=\u{1f600}"@d.test\rlast@e.test'
  const body = await (await listBody(pieces(text, size), LIST)).text()
  const emails = ["a@b.test", "jörg@c.test", '=\u{1f600}"@d.test', "last@e.test"]
  expect(JSON.parse(body)).toEqual({ emails, sample: false })
})

test("a comma or semicolon after an address is removed", async () => {
  const body = await (await listBody(pieces("a@b.test;\nc@d.test ,\r\ne@f.test", 4), LIST)).text()
  expect(JSON.parse(body).emails).toEqual(["a@b.test", "c@d.test", "e@f.test"])
})

test("an empty file, a table and text that is not UTF-8 are errors that name the file", async () => {
  const read = (text: string | Buffer) => listBody(pieces(text, 3), LIST)
  await expect(read(" \n\n")).rejects.toThrow("list.txt contains no addresses")
  await expect(read(Buffer.from([0x61, 0x40, 0xf6, 0x0a]))).rejects.toThrow("list.txt is not UTF-8 text")
  await expect(read("name\temail\nAnn\ta@b.test\n")).rejects.toThrow("list.txt looks like a table")
  await expect(read('"a,b"@c.test\n')).resolves.toBeInstanceOf(Blob)
  await expect(read('"Doe, Ann" <a@b.test>\n')).resolves.toBeInstanceOf(Blob)
  // The text ends inside a character.
  await expect(read(Buffer.from([0x61, 0x40, 0xc3]))).rejects.toThrow("list.txt is not UTF-8 text")
})

// Copying the line for each piece would take minutes.
test("a very long line is read in linear time", async () => {
  await expect(listBody(pieces("x".repeat(3_000_000), 10), LIST)).resolves.toBeInstanceOf(Blob)
})
