import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { TABLE_LIMITS } from "../../src/domain/lists/uploaded-file.ts"
import { newKey } from "../support/stack/account.ts"
import { runCli } from "../support/stack/run-cli.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-cli-lists-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let env: Record<string, string>
beforeAll(async () => {
  env = { MAILVERDICT_URL: inject("stackUrl"), MAILVERDICT_API_KEY: (await newKey()).secret }
})

const fileOf = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const upload = (args: readonly string[], world: { input?: string; columns?: number } = {}) =>
  runCli(["lists", "upload", ...args, "--poll", "1"], { env, ...world })

describe("lists upload", () => {
  test("writes a file and ends with a summary: counts, cost and the file", async () => {
    const [list, out] = [
      fileOf("list.txt", "user1@d0500.test\nno-1@d0500.test\n=cmd@d0500.test\n\nno address\n"),
      join(folder, "out.csv"),
    ]
    const done = await upload([list, "--out", out], { columns: 90 })
    expect(done.code).toBe(0)
    expect(done.stderr).toMatch(
      /^List job_\w+: 4 addresses\nIt continues without this command: mailverdict lists watch job_/,
    )
    expect(done.stderr).toContain("4/4")
    expect(done.stdout).toMatch(/^list +job_\w+\nstate +complete\naddresses +4\n {2}valid +1\n/)
    expect(done.stdout).toMatch(/\ncredits used +3\nresults +\S+out\.csv\n$/)
    const lines = readFileSync(out, "utf8").trim().split("\r\n")
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^email,status,/)
    expect(lines.some((line) => line.startsWith(`"'=cmd@d0500.test",`))).toBe(true)
    expect(lines.some((line) => line.startsWith("user1@d0500.test,valid,"))).toBe(true)
  })

  test("on a terminal without a file, the summary says how to get the results", async () => {
    const done = await upload([fileOf("short.txt", "user1@d0500.test\n")], { columns: 90 })
    expect(done.stdout).toMatch(/\nresults +mailverdict lists download job_\w+ --out results\.csv\n$/)
  })

  test("keeps a table's own columns, and its results can be downloaded later", async () => {
    const list = fileOf("people.csv", "sep=;\r\nName;Mail\r\nBob;no-1@d0501.test\r\nZoë;user1@d0501.test\r\n")
    const done = await upload([list, "--column", "Mail"])
    expect(done.code).toBe(0)
    const lines = done.stdout.trim().split("\r\n")
    expect(lines[0]).toMatch(/^Name;Mail;status;/)
    expect(lines[2]).toMatch(/^Zoë;user1@d0501\.test;valid;/)
    expect(done.stderr).toMatch(/\nstate +complete\n/)
    const jobId = /job_\w+/.exec(done.stderr)![0]
    const out = join(folder, "later.csv")
    const later = await runCli(["lists", "download", jobId, "--out", out], { env })
    expect(JSON.parse(later.stdout)).toMatchObject({ job_id: jobId, file: out, credits_used: 2 })
    expect(readFileSync(out, "utf8")).toBe(done.stdout)
    const asJson = await runCli(["lists", "download", jobId, "--json"], { env })
    expect(JSON.parse(asJson.stdout.split("\n")[0]!)).toMatchObject({ email: "no-1@d0501.test", status: "invalid" })
    const wrong = await upload([list, "--column", "Post"])
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^mailverdict: --column: the file has no column "Post"/),
    })
  })

  test("ignores a byte order mark and reads a list from a pipe", async () => {
    const lists = [
      Buffer.from("\ufeffuser1@d0502.test\r\n"),
      Buffer.from("\ufeffuser1@d0502.test\r\n", "utf16le"),
      Buffer.from("\ufeffuser1@d0502.test\r"),
    ]
    const rows = "Name,Mail\nAnn,no-1@d0503.test\n"
    // Each waits a second for its list.
    const [piped, table, ...done] = await Promise.all([
      upload(["-"], { input: "no-1@d0502.test\n" }),
      upload(["-", "--column", "Mail"], { input: rows }),
      ...lists.map((bytes, n) => upload([fileOf(`marked-${n}.txt`, bytes)])),
    ])
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nno-1@d0502\.test,invalid,/) })
    expect(table.stdout).toContain("Ann,no-1@d0503.test,invalid")
    for (const { stdout } of done) expect(stdout).toMatch(/\nuser1@d0502\.test,valid,/)
    const marked = fileOf("marked.txt", Buffer.from("j\xf6rg@d0502.test\n", "latin1"))
    expect(await upload([marked])).toMatchObject({ code: 2, stderr: `mailverdict: ${marked} is not UTF-8 text\n` })
    expect(await upload(["-"], { input: rows })).toMatchObject({ code: 2, stderr: expect.stringContaining("--column") })
  })

  test("reports an unwritable output file before it uses credits", async () => {
    const out = join(folder, "missing", "out.csv")
    const refused = await upload([fileOf("one.txt", "user1@d0500.test\n"), "--out", out])
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^mailverdict: ENOENT.*\n$/) })
    expect(refused.stderr).toContain(out)
  })

  const nowhere = { MAILVERDICT_URL: "http://127.0.0.1:1" }
  test.each([
    [
      "large.csv",
      Buffer.alloc(TABLE_LIMITS.bytes + 1, "a@b.test\n"),
      /large\.csv is too large \(at most 20 MB\)\. Split it/,
    ],
    ["large.txt", `${"x".repeat(1_000_000)}\n`.repeat(100), /large\.txt is too large \(at most 100 MB\)\. Split it/],
  ])("does not send %s, which is too large, and says what to do", async (name, content, message) => {
    const refused = await runCli(["lists", "upload", fileOf(name, content)], { env: nowhere })
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(message) })
  })

  test("sends a table of the largest size", async () => {
    const list = fileOf("full.csv", Buffer.alloc(TABLE_LIMITS.bytes, "a@b.test\n"))
    expect(await runCli(["lists", "upload", list], { env: nowhere })).toMatchObject({ code: 3 })
  })
})
