import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, inject, test } from "vitest"

const main = fileURLToPath(new URL("../../src/client/cli/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-cli-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command line as a process. @param input its standard input */
function mailverdict(args: string[], env: Record<string, string> = {}, input = "") {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, MAILVERDICT_URL: inject("stackUrl"), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  child.stdin.on("error", () => undefined).end(input)
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk)
  })
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout, stderr })),
  )
}

describe("the command line", () => {
  test("verify exits with 0 for yes and 1 for no, also with --json", async () => {
    const yes = await mailverdict(["verify", "alice@mailbox.test"])
    expect(yes).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(yes.stdout)).toMatchObject({ email: "alice@mailbox.test", status: "valid" })
    const no = await mailverdict(["verify", "nobody@mailbox.test", "--json"])
    expect(no.code).toBe(1)
    expect(JSON.parse(no.stdout)).toMatchObject({ status: "invalid", sub_status: "mailbox_not_found" })
  })

  test.each(["5s", "0", "-1", "", "1e9", "1.5", "Infinity"])("--poll %s is wrong usage", async (poll) => {
    const refused = await mailverdict(["lists", "watch", "job_1", `--poll=${poll}`])
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("from 1 to 3600") })
  })

  test("at the monthly limit a command fails at once and prints the wait in days", async () => {
    const full = createServer((_, response) =>
      response
        .writeHead(429, { "retry-after": "2678400" })
        .end(JSON.stringify({ detail: "rate limit exceeded; retry in 2678400 seconds" })),
    )
    await new Promise<void>((resolve) => full.listen(0, "127.0.0.1", resolve))
    const MAILVERDICT_URL = `http://127.0.0.1:${(full.address() as AddressInfo).port}`
    const refused = await mailverdict(["verify", "a@mailbox.test"], { MAILVERDICT_URL })
    full.close()
    const stderr = "mailverdict: rate limit exceeded; retry in 2678400 seconds (31 days)\n"
    expect(refused).toEqual({ code: 2, stdout: "", stderr })
  })

  test("a command that waits prints how long and why", async () => {
    let requests = 0
    const busy = createServer((_, response) => {
      if (++requests === 1) response.writeHead(429, { "retry-after": "1" }).end("{}")
      else response.writeHead(401).end(JSON.stringify({ detail: "no such key" }))
    })
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve))
    const service = { MAILVERDICT_URL: `http://127.0.0.1:${(busy.address() as AddressInfo).port}` }
    const { stderr } = await mailverdict(["verify", "a@mailbox.test"], { ...service, MAILVERDICT_API_KEY: "mv_live_1" })
    busy.close()
    expect(stderr).toBe(
      "too many requests: retrying in 1 s\nmailverdict: no such key. To sign in again: mailverdict login\n",
    )
  })

  test.each([
    ["--help | true", 0, ""],
    ["verify alice@mailbox.test | true", 0, ""],
    ["verify nobody@mailbox.test 2>&1 | true", 1, ""],
    ["verify alice@mailbox.test > /dev/full", 2, "mailverdict: ENOSPC: no space left on device, write\n"],
  ])("%s: a closed pipe keeps the exit code; a full disk is 2", async (command, code, stderr) => {
    const script = `"${process.execPath}" "${main}" ${command}; exit "\${PIPESTATUS[0]}"`
    const child = spawn("bash", ["-c", script], { env: { ...process.env, MAILVERDICT_URL: inject("stackUrl") } })
    let stderrText = ""
    child.stderr.on("data", (chunk) => {
      stderrText += String(chunk)
    })
    expect([await new Promise((resolve) => child.once("close", resolve)), stderrText]).toEqual([code, stderr])
  })

  test("wrong usage exits with 2 and help with 0", async () => {
    expect(await mailverdict(["verify"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("email"),
    })
    expect(await mailverdict(["lists", "upload", join(folder, "none.txt")])).toMatchObject({ code: 2 })
    const mistyped = "mailverdict: unknown command 'verfy'. All commands: mailverdict --help\n"
    for (const rest of [[], ["a@mailbox.test"]])
      expect(await mailverdict(["verfy", ...rest])).toMatchObject({ code: 2, stdout: "", stderr: mistyped })
    const help = await mailverdict(["--help"])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("MAILVERDICT_API_KEY") })
  })

  test.each([
    ["<h1>Hello</h1>", /^mailverdict: the server at http:\S+ is not a Mailverdict service\n$/],
    ["{}", /^mailverdict: unexpected answer \(.*can_send.*\)\. Is it a Mailverdict service\? .*\n$/],
  ])("a server that is not Mailverdict exits with 3, never 1: %s", async (body, stderr) => {
    const page = createServer((_, response) => response.end(body))
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
    const MAILVERDICT_URL = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    const other = await mailverdict(["verify", "a@mailbox.test"], { MAILVERDICT_URL })
    page.close()
    expect(other).toEqual({ code: 3, stdout: "", stderr: expect.stringMatching(stderr) })
  })

  test("verify runs on the oldest supported Node, which lacks URL.parse", async () => {
    const NODE_OPTIONS = "--import=data:text/javascript,Reflect.deleteProperty(URL,'parse')"
    expect(await mailverdict(["verify", "alice@mailbox.test"], { NODE_OPTIONS })).toMatchObject({ code: 0, stderr: "" })
  })

  test("an unreachable service exits with 3", async () => {
    const gone = await mailverdict(["verify", "a@mailbox.test"], { MAILVERDICT_URL: "http://127.0.0.1:1" })
    expect(gone).toMatchObject({ code: 3, stdout: "" })
  })
})
