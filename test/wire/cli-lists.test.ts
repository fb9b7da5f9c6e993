import { execFile } from "node:child_process"
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { run } from "../../src/client/cli/program.ts"
import { memoryTerminal, runCli } from "../support/stack/run-cli.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-lists-"))
const [table, lines] = [join(folder, "list.csv"), join(folder, "list.txt")]
const JOB = {
  ...{ job_id: "job_1", status: "complete", total: 1, progress: 1, results: [], next_cursor: null },
  ...{ summary: { valid: 1 }, sendable: 1, credits_used: 1, cancelled_at: null },
}
const answer = vi.fn((response: ServerResponse, _url: string) => void response.end(JSON.stringify(JOB)))
let received = 0
const service = createServer((request, response) => {
  received = 0
  request.on("data", (bytes: Buffer) => {
    received += bytes.length
  })
  request.on("end", () => answer(response, request.url ?? ""))
})
beforeAll(async () => {
  for (const file of [table, lines]) writeFileSync(file, "a@b.test\n")
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  service.close().closeAllConnections()
  rmSync(folder, { recursive: true })
})

const envOf = () => ({
  MAILVERDICT_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  MAILVERDICT_API_KEY: "mv_live_test",
})
const runHere = (...args: string[]) => runCli(args, { env: envOf() })

/** Its headers, its one piece and its end. */
const download = [15, 15, 15]
// A slow upload may take minutes. A request about progress answers at once or not at all.
test.each([
  ["upload", table, [15, 1.5, 1.5, ...download]],
  ["upload", lines, [15, 1.5, 1.5, ...download]],
  ["download", "job_1", [1.5, ...download]],
])("lists %s %s: minutes that each call may take", async (command, rest, minutes) => {
  const timers = vi.spyOn(globalThis, "setTimeout")
  expect((await runHere("lists", command, rest)).code).toBe(0)
  const limits = timers.mock.calls.map(([, ms]) => (ms ?? 0) / 60_000)
  expect(limits.filter((limit) => minutes.includes(limit))).toEqual(minutes)
  timers.mockRestore()
})

test("a list of any length is sent with little memory", async () => {
  const [long, out] = [join(folder, "long.txt"), join(folder, "out.csv")]
  const count = 500_000
  writeFileSync(long, "somebody@somewhere.test\n".repeat(count))
  let largest = 0
  answer.mockImplementation((response) => {
    largest = Math.max(largest, received)
    response.end(JSON.stringify(JOB))
  })
  const main = fileURLToPath(new URL("../../src/client/cli/main.ts", import.meta.url))
  const args = ["--max-old-space-size=32", main, "lists", "upload", long, "--out", out]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { HOME: folder, ...envOf() } })
  expect(JSON.parse(stdout)).toMatchObject({ job_id: "job_1", file: out })
  expect(largest).toBe(`{"emails":[${'"somebody@somewhere.test",'.repeat(count).slice(0, -1)}],"sample":false}`.length)
})

test("results are written as they arrive", async () => {
  const { terminal, stdout } = memoryTerminal({ env: envOf() })
  let finishAnswer: () => void = () => expect.unreachable()
  answer.mockImplementation((response, url) => {
    if (url === "/bulk/status/job_1") return void response.end(JSON.stringify(JOB))
    response.write("email,status\n")
    finishAnswer = () => response.end("a@b.test,valid\n")
  })
  const ended = run(terminal, ["lists", "download", "job_1"])
  await expect.poll(() => stdout.read()?.toString()).toBe("email,status\n")
  finishAnswer()
  expect(await ended).toBe(0)
  expect(stdout.read()?.toString()).toBe("a@b.test,valid\n")
})

test("incomplete results give an error, and the file of before stays", async () => {
  const out = join(folder, "half.csv")
  writeFileSync(out, "of yesterday\n")
  answer.mockImplementation((response, url) => {
    if (url === "/bulk/status/job_1") return void response.end(JSON.stringify(JOB))
    response.write("email,status\n", () => response.destroy())
  })
  const stderr = expect.stringMatching(/^mailverdict: the response from http:\S+ was cut off/)
  expect(await runHere("lists", "download", "job_1", "--out", out)).toEqual({ code: 3, stdout: "", stderr })
  expect(readFileSync(out, "utf8")).toBe("of yesterday\n")
  const suppressions = ["suppress", "export", "--out", out]
  expect(await runHere(...suppressions)).toEqual({ code: 3, stdout: "", stderr })
  expect(readFileSync(out, "utf8")).toBe("of yesterday\n")
  expect(readdirSync(folder).filter((name) => name.startsWith("half.csv"))).toEqual(["half.csv"])
})

test("a file is replaced only at the end of the download, with its mode and its link", async () => {
  const [out, link] = [join(folder, "private.csv"), join(folder, "link.csv")]
  writeFileSync(out, "of yesterday\n", { mode: 0o600 })
  symlinkSync(out, link)
  let finishAnswer: (() => void) | undefined
  answer.mockImplementation((response, url) => {
    if (!url.startsWith("/bulk/download/")) return void response.end(JSON.stringify(JOB))
    response.write("email,status\n")
    finishAnswer = () => response.end("a@b.test,valid\n")
  })
  const ended = runHere("lists", "download", "job_1", "--out", link)
  await expect.poll(() => readdirSync(folder)).toContain(`private.csv.${process.pid}`)
  expect(readFileSync(out, "utf8")).toBe("of yesterday\n")
  finishAnswer?.()
  expect((await ended).code).toBe(0)
  expect(readFileSync(out, "utf8")).toBe("email,status\na@b.test,valid\n")
  expect([statSync(out).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual([0o600, true])
})

test("a device is written to and stays", async () => {
  answer.mockImplementation((response) => void response.end(JSON.stringify(JOB)))
  expect((await runHere("lists", "download", "job_1", "--out", "/dev/null")).code).toBe(0)
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true)
})

test.each([[], ["--json"]])("a file is not overwritten until there are results %j", async (...format) => {
  const out = join(folder, "kept.csv")
  writeFileSync(out, "of yesterday\n")
  answer.mockImplementation((response) => void response.writeHead(404).end(JSON.stringify({ detail: "no such job" })))
  expect((await runHere("lists", "download", "job_1", "--out", out, ...format)).code).toBe(2)
  expect(readFileSync(out, "utf8")).toBe("of yesterday\n")
})

test.each([[], ["--json"]])("an unfinished list is refused: its file would look complete %j", async (...format) => {
  const running = { ...JOB, status: "running", progress: 0, results: null }
  answer.mockImplementation((response) => void response.end(JSON.stringify(running)))
  const message = "job_1 has not finished yet. To wait for it: mailverdict lists watch job_1"
  const refused = { code: 2, stdout: "", stderr: `mailverdict: ${message}\n` }
  expect(await runHere("lists", "download", "job_1", ...format)).toEqual(refused)
})

describe("lists download", () => {
  const asked: string[] = []
  const results = async (...options: string[]) => {
    const { terminal, stdout } = memoryTerminal({ env: envOf() })
    answer.mockImplementation((response, url) => {
      if (url === "/bulk/status/job_1") return void response.end(JSON.stringify(JOB))
      asked.push(url)
      response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x50, 0x4b, 0xff]))
    })
    asked.length = 0
    return { code: await run(terminal, ["lists", "download", "job_1", ...options]), stdout: stdout.read() }
  }

  test.each([
    [[], "?filter=all&format=csv"],
    [["--filter", "can_send", "--format", "ndjson"], "?filter=can_send&format=ndjson"],
    [["--format", "json"], "?filter=all&format=json"],
  ])("%j are the service's bytes, unchanged", async (options, query) => {
    expect(await results(...options)).toEqual({ code: 0, stdout: Buffer.from([0xef, 0xbb, 0xbf, 0x50, 0x4b, 0xff]) })
    expect(asked).toEqual([`/bulk/download/job_1${query}`])
  })

  test("--format xlsx needs a file, because a terminal cannot show a workbook", async () => {
    expect(await results("--format", "xlsx")).toMatchObject({ code: 2 })
    expect(asked).toEqual([])
    const out = join(folder, "results.xlsx")
    answer.mockImplementation((response, url) => {
      const isFile = url.startsWith("/bulk/download/")
      response.end(isFile ? Buffer.from([0xef, 0xbb, 0xbf, 0x50, 0x4b, 0xff]) : JSON.stringify(JOB))
    })
    const written = await runHere("lists", "download", "job_1", "--format", "xlsx", "--out", out)
    expect(JSON.parse(written.stdout)).toMatchObject({ job_id: "job_1", file: out })
    expect([...readFileSync(out)].slice(3)).toEqual([0x50, 0x4b, 0xff])
  })

  test.each([
    ["--filter", "good"],
    ["--format", "xls"],
    ["--json", "--format", "json"],
  ])("%s %s is refused before a request", async (...options) => {
    expect(await results(...options)).toMatchObject({ code: 2 })
    expect(asked).toEqual([])
  })

  test("--json filters too", async () => {
    answer.mockImplementation((response, url) => {
      asked.push(url)
      response.end(JSON.stringify({ ...JOB, results: [{ checks: { email: "a@b.test" } }] }))
    })
    asked.length = 0
    const results = { code: 0, stdout: '{"email":"a@b.test"}\n', stderr: "" }
    expect(await runHere("lists", "download", "job_1", "--json", "--filter", "risky")).toEqual(results)
    expect(asked).toEqual(["/bulk/status/job_1", "/jobs/job_1?limit=1000&filter=risky"])
  })
})
