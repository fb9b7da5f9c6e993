import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { run } from "../../src/client/cli/program.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-lists-"))
const [table, lines] = [join(folder, "list.csv"), join(folder, "list.txt")]
const JOB = { job_id: "job_1", status: "complete", total: 1, progress: 1, results: [], next_cursor: null }
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

function terminalOf() {
  const MAILVERDICT_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const env = { MAILVERDICT_URL, MAILVERDICT_API_KEY: "mv_live_test" }
  return { stdin, stdout, stderr, isInteractive: false, hasColor: false, env }
}

// A slow upload may take minutes. A request about progress answers at once or not at all.
test.each([
  ["bulk", table, [15, 1.5, 15]],
  ["bulk", lines, [15, 1.5, 15]],
  ["job", "results job_1", [15]],
])("%s %s: minutes that each call may take", async (command, rest, minutes) => {
  const timeouts = vi.spyOn(AbortSignal, "timeout")
  expect(await run(terminalOf(), [command, ...rest.split(" ")])).toBe(0)
  expect(timeouts.mock.calls.map(([ms]) => ms / 60_000)).toEqual(minutes)
  timeouts.mockRestore()
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
  const { env } = terminalOf()
  const args = ["--max-old-space-size=32", main, "bulk", long, "--out", out]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { HOME: folder, ...env } })
  expect(stdout).toBe(`${out}\n`)
  expect(largest).toBe(`{"emails":[${'"somebody@somewhere.test",'.repeat(count).slice(0, -1)}],"sample":false}`.length)
}, 60_000)

test("results are written as they arrive", async () => {
  const terminal = terminalOf()
  let finishAnswer: () => void = () => expect.unreachable()
  answer.mockImplementation((response) => {
    response.write("email,status\n")
    finishAnswer = () => response.end("a@b.test,valid\n")
  })
  const ended = run(terminal, ["job", "results", "job_1"])
  await expect.poll(() => terminal.stdout.read()?.toString(), { timeout: 10_000 }).toBe("email,status\n")
  finishAnswer()
  expect(await ended).toBe(0)
  expect(terminal.stdout.read()?.toString()).toBe("a@b.test,valid\n")
})

test("incomplete results give an error and an empty file", async () => {
  const [terminal, out] = [terminalOf(), join(folder, "half.csv")]
  answer.mockImplementation((response) => {
    response.write("email,status\n")
    setTimeout(() => response.destroy(), 50)
  })
  expect(await run(terminal, ["job", "results", "job_1", "--out", out])).toBe(3)
  expect(terminal.stderr.read()?.toString()).toMatch(/^mailverdict: the response from http:\S+ was cut off/)
  expect(readFileSync(out, "utf8")).toBe("")
})

test.each([[], ["--json"]])("a file is not overwritten until there are results %j", async (...format) => {
  const [terminal, out] = [terminalOf(), join(folder, "kept.csv")]
  writeFileSync(out, "of yesterday\n")
  answer.mockImplementation((response) => void response.writeHead(404).end(JSON.stringify({ detail: "no such job" })))
  expect(await run(terminal, ["job", "results", "job_1", "--out", out, ...format])).toBe(2)
  expect(readFileSync(out, "utf8")).toBe("of yesterday\n")
})

test("an unfinished job has no results yet, which differs from an empty list", async () => {
  const terminal = terminalOf()
  const running = { ...JOB, status: "running", progress: 0, results: null }
  answer.mockImplementation((response) => void response.end(JSON.stringify(running)))
  expect(await run(terminal, ["job", "results", "job_1", "--json"])).toBe(2)
  expect(terminal.stdout.read()).toBe(null)
  expect(terminal.stderr.read()?.toString()).toBe("mailverdict: job_1 has not finished yet\n")
})

describe("job results", () => {
  const asked: string[] = []
  const results = async (...options: string[]) => {
    const terminal = terminalOf()
    answer.mockImplementation((response, url) => {
      asked.push(url)
      response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x50, 0x4b, 0xff]))
    })
    asked.length = 0
    return { code: await run(terminal, ["job", "results", "job_1", ...options]), stdout: terminal.stdout.read() }
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
    expect(await results("--format", "xlsx", "--out", out)).toMatchObject({ code: 0 })
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
    const terminal = terminalOf()
    answer.mockImplementation((response, url) => {
      asked.push(url)
      response.end(JSON.stringify({ ...JOB, results: [{ checks: { email: "a@b.test" } }] }))
    })
    asked.length = 0
    expect(await run(terminal, ["job", "results", "job_1", "--json", "--filter", "risky"])).toBe(0)
    expect(asked).toEqual(["/jobs/job_1?limit=1000&filter=risky"])
    expect(terminal.stdout.read()?.toString()).toBe('{"email":"a@b.test"}\n')
  })
})
