import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, inject, test } from "vitest"
import { TABLE_LIMITS } from "../../src/domain/bulk/table-limits.ts"
import { newKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

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
    expect(yes.stdout).toMatch(/^alice@mailbox\.test {2}valid {2}\d+\/100 {2}send\n/)
    const no = await mailverdict(["verify", "nobody@mailbox.test", "--json"])
    expect(no.code).toBe(1)
    expect(JSON.parse(no.stdout)).toMatchObject({ status: "invalid", sub_status: "mailbox_not_found" })
  })

  test("node doctor shows each node's state and findings", async () => {
    const [MAILVERDICT_API_KEY, MAILVERDICT_ADMIN_SECRET] = [(await newKey()).secret, inject("adminSecret")]
    const doctor = (...args: string[]) => mailverdict(["node", "doctor", ...args], { MAILVERDICT_ADMIN_SECRET })
    // A cron checks the nodes once a minute.
    await expect.poll(async () => (await doctor()).stdout, { timeout: 10_000 }).toMatch(/blocklists/)
    const all = await doctor()
    expect(all).toMatchObject({ code: 0, stderr: "" })
    expect(all.stdout).toMatch(/^local-1 {2}local {2}healthy {2}\d+ ms round trip {2}\d+ % load\n/)
    expect(all.stdout).toMatch(/^ {2}unknown {2}blocklists: /m)
    expect(JSON.parse((await doctor("local-1", "--json")).stdout)).toMatchObject([{ id: "local-1", state: "healthy" }])
    const none = { code: 2, stdout: "", stderr: "mailverdict: the service has no probe node moon-1\n" }
    expect(await doctor("moon-1")).toMatchObject(none)
    const own = await mailverdict(["node", "doctor"], { MAILVERDICT_API_KEY })
    expect(own.stderr).toBe("mailverdict: your account has no probe nodes; MAILVERDICT_ADMIN_SECRET shows all nodes\n")
    expect(own).toMatchObject({ code: 2, stdout: "" })
    expect(await mailverdict(["node", "doctor"])).toMatchObject({ code: 2, stdout: "" })
  })

  test("keys are created, read from the environment, listed and revoked", async () => {
    const MAILVERDICT_API_KEY = (await newKey()).secret
    const create = ["keys", "create", "cli", "owner@mailbox.test", "--tier", "pro"]
    const created = await mailverdict(create, { MAILVERDICT_API_KEY })
    expect(created.stdout).toMatch(/^mv_live_[0-9A-Za-z]{38}\n$/)
    const listed = await mailverdict(["keys", "--json"], { MAILVERDICT_API_KEY })
    const keys = JSON.parse(listed.stdout) as { key_id: string; name: string; tier: string }[]
    const { key_id, tier } = keys.find(({ name }) => name === "cli")!
    expect(tier).toBe("pro")
    expect((await mailverdict(["keys", "revoke", key_id], { MAILVERDICT_API_KEY })).code).toBe(0)
    const refused = await mailverdict(["keys"], { MAILVERDICT_API_KEY: created.stdout.trim() })
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: "mailverdict: the API key is invalid or revoked\n" })
  })

  test("bulk writes data to the file, messages to stderr and formulas as text", async () => {
    const MAILVERDICT_API_KEY = (await newKey()).secret
    const [list, out] = [join(folder, "list.txt"), join(folder, "out.csv")]
    writeFileSync(list, "user1@d0500.test\nno-1@d0500.test\n=cmd@d0500.test\n\nnot an address\n")
    const done = await mailverdict(["bulk", list, "--out", out, "--poll", "1"], { MAILVERDICT_API_KEY })
    expect(done).toMatchObject({ code: 0, stdout: `${out}\n` })
    expect(done.stderr).toContain("4/4")
    const lines = readFileSync(out, "utf8").trim().split("\n")
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe("email,status,score,can_send")
    expect(lines.slice(1).sort()[0]).toMatch(/^'=cmd@d0500\.test,/)
    expect(lines.some((line) => line.startsWith("user1@d0500.test,valid,"))).toBe(true)
  }, 40_000)

  test("bulk and job results keep a table's own columns", async () => {
    const MAILVERDICT_API_KEY = (await newKey()).secret
    const list = join(folder, "people.csv")
    writeFileSync(list, "sep=;\r\nName;Mail\r\nBob;no-1@d0501.test\r\nZoë;user1@d0501.test\r\n")
    const done = await mailverdict(["bulk", list, "--column", "Mail", "--poll", "1"], { MAILVERDICT_API_KEY })
    expect(done.code).toBe(0)
    const lines = done.stdout.trim().split("\r\n")
    expect(lines[0]).toMatch(/^Name;Mail;status;/)
    expect(lines[2]).toMatch(/^Zoë;user1@d0501\.test;valid;/)
    const jobId = /job_\w+/.exec(done.stderr)![0]
    const out = join(folder, "later.csv")
    const later = await mailverdict(["job", "results", jobId, "--out", out], { MAILVERDICT_API_KEY })
    expect(later).toMatchObject({ code: 0, stdout: `${out}\n` })
    expect(readFileSync(out, "utf8")).toBe(done.stdout)
    const asJson = await mailverdict(["job", "results", jobId, "--json"], { MAILVERDICT_API_KEY })
    expect(JSON.parse(asJson.stdout.split("\n")[0]!)).toMatchObject({ email: "no-1@d0501.test", status: "invalid" })
    const wrong = await mailverdict(["bulk", list, "--column", "Post"], { MAILVERDICT_API_KEY })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no column "Post"') })
  }, 40_000)

  test("bulk ignores a byte order mark and reads a list from a pipe", async () => {
    const MAILVERDICT_API_KEY = (await newKey()).secret
    const marked = join(folder, "marked.txt")
    for (const bytes of [
      Buffer.from("\ufeffuser1@d0502.test\r\n"),
      Buffer.from("\ufeffuser1@d0502.test\r\n", "utf16le"),
      Buffer.from("\ufeffuser1@d0502.test\r"),
    ]) {
      writeFileSync(marked, bytes)
      const done = await mailverdict(["bulk", marked, "--poll", "1"], { MAILVERDICT_API_KEY })
      expect(done.stdout).toMatch(/\nuser1@d0502\.test,valid,/)
    }
    writeFileSync(marked, Buffer.from("j\xf6rg@d0502.test\n", "latin1"))
    expect(await mailverdict(["bulk", marked], { MAILVERDICT_API_KEY })).toMatchObject({
      code: 2,
      stderr: `mailverdict: ${marked} is not UTF-8 text\n`,
    })
    const piped = await mailverdict(["bulk", "-", "--poll", "1"], { MAILVERDICT_API_KEY }, "no-1@d0502.test\n")
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nno-1@d0502\.test,invalid,/) })
    const rows = "Name,Mail\nAnn,no-1@d0503.test\n"
    const asLines = await mailverdict(["bulk", "-"], { MAILVERDICT_API_KEY }, rows)
    expect(asLines).toMatchObject({ code: 2, stderr: expect.stringContaining("--column") })
    const table = await mailverdict(["bulk", "-", "--column", "Mail", "--poll", "1"], { MAILVERDICT_API_KEY }, rows)
    expect(table.stdout).toContain("Ann,no-1@d0503.test,invalid")
  }, 40_000)

  test("job watch exits with 1 for a canceled job", async () => {
    const key = await newKey()
    const list = postJson({ emails: ["a@tarpit.test"] })
    const headers = { ...list.headers, "x-api-key": key.secret }
    const { body: job } = await call<{ job_id: string }>("POST", "/validate/bulk/async", { ...list, headers })
    const cancel = withKey(key, { at: `/jobs/${job.job_id}`, method: "DELETE" })
    expect((await call("DELETE", "/jobs/{job_id}", cancel)).status).toBe(200)
    const watched = await mailverdict(["job", "watch", job.job_id], { MAILVERDICT_API_KEY: key.secret })
    expect(watched).toMatchObject({ code: 1, stdout: "failed\n" })
  }, 20_000)

  test("find prints the best address first and exits with 1 without one", async () => {
    const found = await mailverdict(["find", "Alice", "Smith", "mailbox.test", "--json"])
    expect(found).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(found.stdout)).toMatchObject({ domain: "mailbox.test", best_email: expect.any(String) })
    const none = await mailverdict(["find", "Alice", "Smith", "null-mx.test"])
    expect(none).toMatchObject({ code: 1, stdout: "", stderr: "No address found.\n" })
  }, 60_000)

  test("bulk reports an unwritable output file before it uses credits", async () => {
    const MAILVERDICT_API_KEY = (await newKey()).secret
    const [list, out] = [join(folder, "one.txt"), join(folder, "missing", "out.csv")]
    writeFileSync(list, "user1@d0500.test\n")
    const refused = await mailverdict(["bulk", list, "--out", out], { MAILVERDICT_API_KEY })
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^mailverdict: ENOENT.*\n$/) })
    expect(refused.stderr).toContain(out)
  })

  test("bulk does not send a table that is too large and says what to do", async () => {
    const table = join(folder, "large.csv")
    writeFileSync(table, Buffer.alloc(TABLE_LIMITS.bytes + 1, "a@b.test\n"))
    const refused = await mailverdict(["bulk", table], { MAILVERDICT_URL: "http://127.0.0.1:1" })
    const stderr = expect.stringMatching(/20\.1 MB, at most 20 MB\)\. Split it/)
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr })
    writeFileSync(table, Buffer.alloc(TABLE_LIMITS.bytes, "a@b.test\n"))
    expect(await mailverdict(["bulk", table], { MAILVERDICT_URL: "http://127.0.0.1:1" })).toMatchObject({ code: 3 })
  }, 20_000)

  test("bulk does not send a list that is too large for one request", async () => {
    const list = join(folder, "large.txt")
    writeFileSync(list, `${"x".repeat(1_000_000)}\n`.repeat(100))
    const refused = await mailverdict(["bulk", list], { MAILVERDICT_URL: "http://127.0.0.1:1" })
    const stderr = expect.stringMatching(/100\.1 MB, at most 100 MB\)\. Split it/)
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr })
  }, 20_000)

  test.each(["5s", "0", "-1", "", "1e9", "Infinity"])("--poll %s is wrong usage", async (poll) => {
    const refused = await mailverdict(["job", "watch", "job_1", `--poll=${poll}`])
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
    expect(stderr).toBe("too many requests: retrying in 1 s\nmailverdict: no such key\n")
  })

  test("a key file that other users can read is an error; a private one is used", async () => {
    const file = join(folder, "key")
    writeFileSync(file, `${(await newKey()).secret}\n`, { mode: 0o644 })
    chmodSync(file, 0o644)
    const open = await mailverdict(["keys"], { MAILVERDICT_KEY_FILE: file })
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining(`chmod 600 ${file}`) })
    // On Windows every file looks readable by all.
    const NODE_OPTIONS = "--import=data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})"
    expect((await mailverdict(["keys"], { MAILVERDICT_KEY_FILE: file, NODE_OPTIONS })).code).toBe(0)
    chmodSync(file, 0o600)
    expect((await mailverdict(["keys"], { MAILVERDICT_KEY_FILE: file })).code).toBe(0)
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
    expect(await mailverdict(["bulk", join(folder, "none.txt")])).toMatchObject({ code: 2 })
    const help = await mailverdict(["--help"])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("MAILVERDICT_API_KEY") })
  })

  test.each([
    ["<h1>Hello</h1>", /^mailverdict: the server at http:\S+ is not a Mailverdict service\n$/],
    ["{}", /deliverability_score/],
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

  test("an invalid MAILVERDICT_URL exits with 2", async () => {
    const none = await mailverdict(["verify", "a@mailbox.test"], { MAILVERDICT_URL: "localhost:8787" })
    const stderr = 'mailverdict: MAILVERDICT_URL "localhost:8787" is not an http or https URL\n'
    expect(none).toEqual({ code: 2, stdout: "", stderr })
  })

  test("a shortened key as in the documentation exits with 2", async () => {
    const refused = await mailverdict(["keys"], { MAILVERDICT_API_KEY: "mv_live_…" })
    const stderr = "mailverdict: the API key contains invalid characters\n"
    expect(refused).toEqual({ code: 2, stdout: "", stderr })
  })

  test("a key from the environment may end in a line feed", async () => {
    const MAILVERDICT_API_KEY = `${(await newKey()).secret}\n`
    expect(await mailverdict(["keys"], { MAILVERDICT_API_KEY })).toMatchObject({ code: 0 })
  })

  test("an unreachable service exits with 3", async () => {
    const gone = await mailverdict(["verify", "a@mailbox.test"], { MAILVERDICT_URL: "http://127.0.0.1:1" })
    expect(gone).toMatchObject({ code: 3, stdout: "" })
  }, 20_000)
})
